import { i18n } from '$lib/kit/i18n/i18n.svelte';
import type { Finding } from './health.svelte';

export interface FindingWords {
  readonly check: string;
  readonly text: string;
  readonly next: string | null;
}

type Values = Finding['values'];

const DATES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  at: { dateStyle: 'medium', timeStyle: 'short' },
  date: { dateStyle: 'medium', timeZone: 'UTC' },
};

const nameOf = (check: string): string => i18n.maybe(`health.check.${check}`) ?? check;

function shown(name: string, value: Values[string]): string {
  if (typeof value === 'number') return i18n.number(value);
  const date = DATES[name];
  if (date !== undefined) return i18n.date(value, date);
  return name === 'check' ? nameOf(value) : value;
}

/** A finding in the reader's language; in the service's English where it is newer than this page. */
export function wordsOf({ code, text, next, values }: Finding): FindingWords {
  const all = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(name, value)]));
  const failed = values['check'];
  const check = typeof failed === 'string' ? failed : (code.split('.')[0] ?? code);
  return {
    check: nameOf(check),
    text: i18n.maybe(`health.finding.${code}.text`, all) ?? text,
    next: next === null ? null : (i18n.maybe(`health.finding.${code}.next`, all) ?? next),
  };
}
