import { type KnowledgeBaseSource, placeText, type PlaceUnit } from '../../../kernel';
import type { Hit } from '../../search/chunk.types';

/** Unit that `page` counts, by the extension of the document. */
const UNITS: Readonly<Record<string, PlaceUnit>> = { pdf: 'page', pptx: 'slide', xlsx: 'sheet', ipynb: 'cell' };

type PlacedHit = Pick<Hit, 'filename' | 'page' | 'page_end' | 'page_label' | 'page_end_label' | 'page_count'>;

const unitOf = (filename: string): PlaceUnit =>
  UNITS[/\.([a-z]{3,5})$/i.exec(filename)?.[1]?.toLowerCase() ?? ''] ?? 'page';

function labelOf({ page, page_end: last, page_label: first, page_end_label: end }: PlacedHit): string | null {
  if (first === null || end === null || last === page) return first;
  return `${first}–${end}`;
}

/** Place of a passage, also as text in the language of the question. Sheets and cells have no `page`: no link can open them. */
export function placeOf(
  hit: PlacedHit,
  language: string | null,
): Pick<KnowledgeBaseSource, 'page' | 'page_end' | 'place'> {
  const { page, page_end: last, page_count: of } = hit;
  if (page === null) return {};
  const unit = unitOf(hit.filename);
  const facts = { unit, from: page, to: last ?? page, of, label: labelOf(hit) };
  const place = { ...facts, text: placeText(facts, language) };
  if (unit === 'sheet' || unit === 'cell') return { place };
  return { page, ...(last === null || last === page ? {} : { page_end: last }), place };
}
