import { placeUnitOf } from '../../../extraction';
import { type KnowledgeBaseSource, placeText } from '../../../kernel';
import type { Hit } from '../../search/chunk.types';

type PlacedHit = Pick<Hit, 'filename' | 'page' | 'page_end' | 'page_label' | 'page_end_label' | 'page_count'>;

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
  const unit = placeUnitOf(hit.filename);
  const facts = { unit, from: page, to: last ?? page, of, label: labelOf(hit) };
  const place = { ...facts, text: placeText(facts, language) };
  if (unit === 'sheet' || unit === 'cell') return { place };
  return { page, ...(last === null || last === page ? {} : { page_end: last }), place };
}
