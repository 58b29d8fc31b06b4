import type { KnowledgeBaseSource } from '../../../kernel';
import type { OwnCandidate } from './candidate';
import type { Passage } from './retrieval.types';

/** A passage from our own index, unlike those of external servers. `url` leads to the original document. */
export function ownPassage({ hit, text, similarity, knowledgeBase, matches }: OwnCandidate, url: string): Passage {
  const { page, page_end: last, section } = hit;
  const place: Pick<KnowledgeBaseSource, 'page' | 'page_end' | 'section'> = {
    ...(page === null ? {} : { page }),
    ...(page === null || last === null || last === page ? {} : { page_end: last }),
    ...(section === '' ? {} : { section }),
  };
  return {
    text,
    similarity,
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
      file_url: url,
      ...(matches > 1 ? { matches } : {}),
    },
  };
}
