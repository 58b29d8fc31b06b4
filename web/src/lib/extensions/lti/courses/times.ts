import { i18n } from '$lib/kit/i18n/i18n.svelte';
import type { Activity } from './course.types';

const two = (n: number): string => String(n).padStart(2, '0');

/** ISO 8601 or milliseconds, as a field of the type `datetime-local` has them, in the reader's time zone; empty for null. */
export function localOf(moment: string | number | null): string {
  if (moment === null) return '';
  const date = new Date(moment);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Null for an empty field. */
export const momentOf = (local: string): string | null => (local === '' ? null : new Date(local).toISOString());

export const shown = (moment: string): string => i18n.date(moment, { dateStyle: 'medium', timeStyle: 'short' });

export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export type Standing =
  { readonly key: 'open' } | { readonly key: 'early' | 'over' | 'closed' | 'strict' | 'next'; readonly at: string };

/** How an activity stands for students: its window first, then its dates. */
export function standingOf({ opens_at, closes_at, windows }: Activity, now: number): Standing {
  const current = windows.filter(({ from, until }) => Date.parse(from) <= now && now < Date.parse(until));
  const window = current.find(({ mode }) => mode === 'closed') ?? current[0];
  if (opens_at !== null && now < Date.parse(opens_at)) return { key: 'early', at: opens_at };
  if (closes_at !== null && now >= Date.parse(closes_at)) return { key: 'over', at: closes_at };
  if (window !== undefined) return { key: window.mode, at: window.until };
  const later = windows.filter(({ from }) => now < Date.parse(from)).map(({ from }) => from);
  const [next] = later.sort();
  return next === undefined ? { key: 'open' } : { key: 'next', at: next };
}
