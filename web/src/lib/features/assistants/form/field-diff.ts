import { type Difference, differenceOf, same } from '$lib/kit/ui/differences';
import type { DefinitionBody } from './body';

const TOP = ['name', 'description', 'system_prompt', 'prompt_template', 'RAG_collections', 'RAG_Top_k'] as const;

type Words = (path: string, value: unknown) => string;

/** Every field in which two definitions differ: top members, then the members of the metadata. */
export function differences(
  theirs: DefinitionBody,
  mine: DefinitionBody,
  words: Words = textOf,
): readonly Difference[] {
  const compare = (path: string, left: unknown, right: unknown): readonly Difference[] =>
    same(left, right) ? [] : [differenceOf(path, words(path, left), words(path, right))];
  const found = TOP.flatMap((key) => compare(key, theirs[key], mine[key]));
  const keys = new Set([...Object.keys(theirs.metadata), ...Object.keys(mine.metadata)]);
  return [
    ...found,
    ...[...keys].flatMap((key) => compare(`metadata.${key}`, theirs.metadata[key], mine.metadata[key])),
  ];
}

function textOf(_path: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return JSON.stringify(value, null, 2);
}
