import { i18n } from './i18n.svelte';

/** Whole milliseconds below a second, seconds with one digit above; the signs are the same in every language. */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 1_000) return `${i18n.number(Math.round(ms))} ms`;
  return `${i18n.number(ms / 1_000, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;
}
