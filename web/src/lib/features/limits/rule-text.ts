import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { money } from './money';
import type { Kind, Limit, Rule, Window } from './rule';

/** Name of a subject; null where it is not known. */
export type SubjectName = (kind: Kind, id: string) => string | null;

const GIGABYTE = 1_000_000_000;

function size(bytes: number): string {
  const [value, unit] =
    bytes >= GIGABYTE ? ([bytes / GIGABYTE, 'gigabyte'] as const) : ([bytes / 1e6, 'megabyte'] as const);
  return i18n.number(value, { style: 'unit', unit, maximumFractionDigits: 1 });
}

/** `50,000 tokens`, `€12.50`, `500 MB`. */
export function limitText(limit: Limit, amount: number, currency: string | null): string {
  if (limit === 'cost') return money(amount, currency);
  return limit === 'storage' ? size(amount) : i18n.count(`limits.amount.${limit}`, amount);
}

/** `50,000 tokens a day`. */
export function amountText(limit: Limit, amount: number, per: Window | undefined, currency: string | null): string {
  const text = limitText(limit, amount, currency);
  return per === undefined ? text : t(`limits.per.${per}`, { amount: text });
}

export function subjectText({ kind, id }: Rule['for'], nameOf: SubjectName): string {
  if (id === undefined || kind === 'organization') return t(`limits.each.${kind}`);
  return t(`limits.one.${kind}`, { name: nameOf(kind, id) ?? id });
}

/** `Each person: 50,000 tokens a day, then stop.` */
export const ruleText = (rule: Rule, nameOf: SubjectName, currency: string | null): string =>
  t('limits.sentence', {
    subject: subjectText(rule.for, nameOf),
    amount: amountText(rule.limit, rule.amount, rule.per, currency),
    ending: t(`limits.then.${rule.at_end ?? 'stop'}`),
  });
