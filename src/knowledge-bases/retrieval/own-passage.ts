import { locatorUnitOf } from '@bellwether/extraction';
import { type JsonObject, type KnowledgeBaseSource, locatorText } from '@bellwether/kernel';
import type { Hit } from '../search/chunk.types';
import { momentAddress } from '../sources/watch-page';
import type { OwnCandidate } from './candidate';
import type { Passage } from './retrieval.types';

type PlacedHit = Pick<Hit, 'filename' | 'page' | 'page_end' | 'page_label' | 'page_end_label' | 'page_count'>;

function labelOf({ page, page_end: last, page_label: first, page_end_label: end }: PlacedHit): string | null {
  if (first === null || end === null || last === page) return first;
  return `${first}–${end}`;
}

/** Place of a passage, also as text in the language of the question. Sheets and cells have no `page`: no link can open them. */
function placeOf(hit: PlacedHit, language: string | null): Pick<KnowledgeBaseSource, 'page' | 'page_end' | 'place'> {
  const { page, page_end: last, page_count: of } = hit;
  if (page === null) return {};
  const unit = locatorUnitOf(hit.filename);
  const facts = { unit, from: page, to: last ?? page, of, label: labelOf(hit) };
  const place = { ...facts, text: locatorText(facts, language) };
  if (unit === 'sheet' || unit === 'cell') return { place };
  return { page, ...(last === null || last === page ? {} : { page_end: last }), place };
}

/**
 * A passage of one of our knowledge bases. `fileUrl` leads to the stored document. The source links to the address that the
 * document was fetched from, else to `fileUrl`. `language` is the language of the question.
 */
export function ownPassage(
  { hit, text, similarity, relevance, knowledgeBase, matches, chunks }: OwnCandidate,
  fileUrl: string,
  language: string | null,
): Passage {
  const { section } = hit;
  const spoken = spokenPlace(hit);
  const address = hit.source_url === null ? null : addressOf(hit.source_url, spoken);
  const url = address ?? fileUrl;
  const place: Pick<KnowledgeBaseSource, 'page' | 'page_end' | 'place' | 'section'> = {
    ...placeOf(hit, language),
    ...(section === '' ? {} : { section }),
  };
  return {
    text,
    similarity,
    chunks,
    source: {
      type: 'knowledge_base',
      title: hit.title ?? (hit.filename === '' ? 'Unknown' : hit.filename),
      url,
      similarity,
      document: hit.filename,
      ...place,
      document_id: hit.document_id,
      knowledge_base: { id: hit.knowledge_base_id, name: knowledgeBase },
    },
    metadata: {
      knowledge_base_id: hit.knowledge_base_id,
      document_id: hit.document_id,
      filename: hit.filename,
      title: hit.title,
      ...place,
      section,
      chunk_index: hit.ordinal,
      chunk_count: hit.chunk_count,
      start: hit.start_offset,
      end: hit.end_offset,
      file_url: fileUrl,
      ...fetchedFrom(address, spoken),
      ...(relevance === undefined ? {} : { relevance }),
      ...(matches > 1 ? { matches } : {}),
    },
  };
}

interface SpokenPlace {
  readonly seconds: number;
  readonly timestamp: string;
}

/** The time at which a passage of captions begins: its heading. */
function spokenPlace({ filename, section }: OwnCandidate['hit']): SpokenPlace | null {
  if (!/\.(?:vtt|srt)$/i.test(filename)) return null;
  const match = /(?:^| › )((?:(\d+):)?(\d{1,2}):(\d{2}))$/.exec(section);
  if (match === null) return null;
  const [, timestamp = '', hours = '0', minutes = '0', seconds = '0'] = match;
  return { timestamp, seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) };
}

const fetchedFrom = (address: string | null, spoken: SpokenPlace | null): JsonObject => ({
  ...(address === null ? {} : { source_url: address }),
  ...(spoken === null ? {} : { start_time: spoken.seconds, start_timestamp: spoken.timestamp }),
});

const addressOf = (address: string, spoken: SpokenPlace | null): string =>
  spoken === null ? address : momentAddress(address, spoken.seconds);
