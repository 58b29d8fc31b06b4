import type { DocumentStatus, KnowledgeDocument } from './knowledge.types';

export type Counts = Readonly<Record<DocumentStatus, number>>;

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

/** Numbers in the order of `DOCUMENT_STATUSES`. */
export const countsOf = ([pending = 0, processing = 0, completed = 0, failed = 0]: readonly number[]): Counts => ({
  pending,
  processing,
  completed,
  failed,
});

export const isUnderWay = (status: DocumentStatus): boolean => status === 'pending' || status === 'processing';

/** Documents that the list shows as under way and that no longer are. */
export function endedSince(
  list: readonly KnowledgeDocument[],
  underWay: readonly KnowledgeDocument[],
): readonly KnowledgeDocument[] {
  const known = new Set(underWay.map(({ id }) => id));
  return list.filter(({ id, status }) => isUnderWay(status) && !known.has(id));
}
