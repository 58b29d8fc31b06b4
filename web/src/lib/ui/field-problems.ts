import { type FieldProblem, ProblemError } from '$lib/api/problem';
import { i18n } from '$lib/i18n/i18n.svelte';
import { english, type Wording } from './wording';

/** A text for the exact reason of a problem in the reader's language; null without a reason that has one. */
export const reasonText = (values: FieldProblem['values']): string | null =>
  values?.['reason'] === undefined ? null : i18n.maybe(`problem.${values['reason']}`, values);

/** A problem in the reader's language; in the service's words where its code has no text here. */
export const wordsOf = ({ code, values, message }: FieldProblem): Wording | null =>
  reasonText(values) ?? (code === undefined ? null : i18n.maybe(`problem.${code}`, values)) ?? english(message);

/** What is wrong at `path` or below it. */
export function wordsAt(problems: readonly FieldProblem[], path: string): Wording | null {
  const found = problems.find(
    (each) => each.path === path || each.path.startsWith(`${path}.`) || each.path.startsWith(`${path}[`),
  );
  return found === undefined ? null : wordsOf(found);
}

/** What is wrong with the field at `path`. */
export function fieldWords(error: unknown, path: string): Wording | null {
  const found = error instanceof ProblemError ? error.errors.find((each) => each.path === path) : undefined;
  return found === undefined ? null : wordsOf(found);
}

/** The error, or null when every part of it stands at a field of `paths`. */
export function unshown(error: unknown, paths: readonly string[]): unknown {
  if (!(error instanceof ProblemError) || error.errors.length === 0) return error;
  const left = error.errors.filter(({ path }) => !paths.includes(path));
  if (left.length === 0) return null;
  return new ProblemError(error.status, error.code, error.detail, left, error.requestId);
}
