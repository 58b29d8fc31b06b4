import type { Problem } from '../../../../src/kernel';

const DAY = 86_400_000;
export const MOST_DAYS = 400;

/** The day in UTC, as ISO 8601 writes it. */
export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

export const isOver = (until: string | null, now = Date.now()): boolean => until === null || until < dayOf(now);

/** What is wrong with an end date; null for nothing. */
export function problemOf(until: string, enabled: boolean, now = Date.now()): Problem | null {
  const moment = Date.parse(`${until}T00:00:00Z`);
  if (Number.isNaN(moment) || dayOf(moment) !== until) return wrong('is no date', 'value.day');
  if (until > dayOf(now + MOST_DAYS * DAY)) {
    return { ...wrong(`must be at most ${MOST_DAYS} days ahead`, 'bridge.too_late'), values: { days: MOST_DAYS } };
  }
  return enabled && isOver(until, now) ? wrong('must not be over while enabled is true', 'bridge.over') : null;
}

const wrong = (what: string, code: string): Problem => ({ path: 'until', message: `until ${what}`, code });
