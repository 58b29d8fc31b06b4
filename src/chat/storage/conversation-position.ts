import { decodeCursor, encodeCursor, invalid, isUuid } from '../../kernel';

interface Placed {
  readonly id: string;
  /** `updated_at` with all its digits. */
  readonly stamp: string;
}

/** Cursor of the next page; null after nothing. */
export const positionAfter = (last: Placed | undefined): string | null =>
  last === undefined ? null : encodeCursor([last.stamp, last.id]);

/** @throws AppError `validation_failed` for anything that is not a cursor of such a list */
export function positionOf(cursor: string | null): readonly [stamp: string | null, id: string | null] {
  if (cursor === null) return [null, null];
  const [stamp, id] = decodeCursor(cursor, 2) ?? [];
  const isStamp = typeof stamp === 'string' && /^\d{4}-\d\d-\d\d[ T][\d:.+-]{8,30}$/.test(stamp);
  if (isStamp && !Number.isNaN(Date.parse(stamp)) && typeof id === 'string' && isUuid(id)) return [stamp, id];
  throw invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
}
