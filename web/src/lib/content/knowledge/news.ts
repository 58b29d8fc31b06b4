import type { KnowledgeDocument } from './knowledge.types';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

/** Pause before the next look: short at first and after news, then half as long again each time. */
export const nextPause = (last: number | null): number =>
  last === null ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, last * 1.5);

/** The list with what is newer of its documents; others are put first when `add` is set. */
export function mergeNews(
  list: readonly KnowledgeDocument[],
  news: readonly KnowledgeDocument[],
  add: boolean,
): readonly KnowledgeDocument[] {
  const byId = new Map(news.map((document) => [document.id, document]));
  const merged = list.map((document) => {
    const newer = byId.get(document.id);
    return newer !== undefined && newer.updated_at >= document.updated_at ? newer : document;
  });
  const known = new Set(list.map(({ id }) => id));
  const added = add ? [...byId.values()].filter(({ id }) => !known.has(id)) : [];
  return [...added, ...merged];
}
