import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { humanised } from '$lib/kit/ui/wording';
import { complaintOf, type JsonSchema } from './schema-form';
import type { FieldProblem } from '$lib/kit/api/problem';
import { wordsOf } from '$lib/kit/ui/field-problems';
import type { Wording } from '$lib/kit/ui/wording';

/** Prefixes under which texts of settings are looked for, first to last, after the schema's own `x-texts`. */
export type Prefixes = readonly string[];

const found = (prefixes: Prefixes, rest: string): string | null => {
  for (const prefix of prefixes) {
    const text = i18n.maybe(`${prefix}.${rest}`);
    if (text !== null) return text;
  }
  return null;
};

/** A setting's name in the reader's language, else as its schema has it. */
export const titleOf = (prefixes: Prefixes, name: string, schema: JsonSchema): string =>
  schema['x-texts']?.[i18n.locale]?.title ?? found(prefixes, name) ?? schema.title ?? humanised(name);

export const hintOf = (prefixes: Prefixes, name: string, schema: JsonSchema): string | undefined =>
  schema['x-texts']?.[i18n.locale]?.description ?? found(prefixes, `${name}.hint`) ?? schema.description;

/** One value of a setting that has few. */
export const valueText = (prefixes: Prefixes, name: string, value: unknown): string =>
  found(prefixes, `${name}.${String(value)}`) ?? String(value);

/** Fault of a value: what can be told at once, else what the service said. */
export function errorOf(
  schema: JsonSchema,
  value: unknown,
  path: string,
  problems: readonly FieldProblem[],
): Wording | null {
  const complaint = complaintOf(schema, value);
  if (complaint !== null) return i18n.maybe(`tools.error.${complaint.key}`, complaint.values) ?? complaint.key;
  const problem = problems.find((candidate) => candidate.path === path);
  if (problem === undefined) return null;
  return (problem.code === undefined ? null : i18n.maybe(`tools.error.${problem.code}`)) ?? wordsOf(problem);
}
