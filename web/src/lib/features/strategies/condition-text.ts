import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import type { Test } from './condition';

const NAMES: Readonly<Record<string, string>> = {
  '<': 'less',
  '>': 'more',
  '>=': 'least',
  '==': 'equal',
  '!=': 'unequal',
};

/** The comparison of a rule in the reader's language. */
export const operatorText = (kind: Test['kind'], operator: string): string =>
  i18n.maybe(`strategies.condition.${kind}.${NAMES[operator] ?? operator}`) ?? operator;

function subjectOf(test: Test): string {
  if ('placeholder' in test) return `${t(`strategies.condition.${test.kind}`)} {${test.placeholder}}`;
  if (test.kind === 'metadata') return `${t('strategies.condition.metadata')} “${test.name}”`;
  return t(`strategies.condition.${test.kind}`);
}

function objectOf(test: Test): string {
  if ('text' in test) return `“${test.text}”`;
  if ('n' in test) return String(test.n);
  if ('role' in test) return i18n.maybe(`strategies.role.${test.role}`) ?? test.role;
  return '';
}

export const testText = (test: Test): string =>
  [subjectOf(test), operatorText(test.kind, test.is), objectOf(test)].filter((part) => part !== '').join(' ');
