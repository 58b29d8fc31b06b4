import { type FieldProblem, ProblemError } from '$lib/kit/api/problem';
import { codeText } from '$lib/kit/api/reasons';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { english, type Wording } from './wording';

/** A text for the exact reason of a problem in the reader's language; null without a reason that has one. */
export const reasonText = (values: FieldProblem['values']): string | null =>
  values?.['reason'] === undefined ? null : codeText(String(values['reason']), values);

/** The placeholder that a message of the service names. */
export const placeholderIn = (message: string): string => /\{[^{}\s]+\}/.exec(message)?.[0] ?? '';

/** A problem in the reader's language; null where its code has no text here. */
export const ownWordsOf = ({ code, values, message }: FieldProblem): string | null =>
  reasonText(values) ??
  (code === undefined
    ? null
    : codeText(code, { placeholder: placeholderIn(message), user_input: '{user_input}', ...values }));

/**
 * A problem in the reader's language. The service's words, which are English, are left for readers of English where its code
 * has no text here; others are told that the value was refused.
 */
export const wordsOf = (problem: FieldProblem): Wording | null =>
  ownWordsOf(problem) ?? (i18n.locale === 'en' ? english(problem.message) : t('form.diagnostic.refused'));

/** Words of the problem at `path` or below it. */
export function wordsAt(problems: readonly FieldProblem[], path: string): Wording | null {
  const found = problems.find(
    (each) => each.path === path || each.path.startsWith(`${path}.`) || each.path.startsWith(`${path}[`),
  );
  return found === undefined ? null : wordsOf(found);
}

/** Words of the problem with the field at one of `paths`. */
export function fieldWords(error: unknown, ...paths: readonly string[]): Wording | null {
  const found = error instanceof ProblemError ? error.errors.find((each) => paths.includes(each.path)) : undefined;
  return found === undefined ? null : wordsOf(found);
}

/** The error, or null when every part of it stands at a field of `paths`. */
export function unshown(error: unknown, paths: readonly string[]): unknown {
  if (!(error instanceof ProblemError) || error.errors.length === 0) return error;
  const left = error.errors.filter(({ path }) => !paths.includes(path));
  if (left.length === 0) return null;
  return new ProblemError(error.status, error.code, error.detail, left, error.requestId, error.reason);
}
