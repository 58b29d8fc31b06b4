import type { RuleWindow, Term } from '../../organizations';

/** Start and end in UTC; the end is exclusive. */
export interface Window {
  readonly start: Date;
  readonly end: Date;
}

const MINUTE_MS = 60_000;

const utcDay = (day: string, plusDays = 0): Date => {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + plusDays);
  return at;
};

/** The window around `now`; null outside every term. */
export function windowAt(per: RuleWindow, now: Date, terms: readonly Term[]): Window | null {
  const day = now.toISOString().slice(0, 10);
  if (per === 'minute') {
    const start = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
    return { start, end: new Date(start.getTime() + MINUTE_MS) };
  }
  if (per === 'day') return { start: utcDay(day), end: utcDay(day, 1) };
  if (per === 'month') {
    const start = utcDay(`${day.slice(0, 7)}-01`);
    return { start, end: new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)) };
  }
  const term = terms.find(({ from, to }) => from <= day && day <= to);
  return term === undefined ? null : { start: utcDay(term.from), end: utcDay(term.to, 1) };
}
