import { type Difference, differenceOf, same } from '$lib/ui/differences';
import type { DefinitionBody } from './body';

const TOP = ['name', 'description', 'system_prompt', 'prompt_template', 'RAG_collections', 'RAG_Top_k'] as const;

/** Every field in which two definitions differ: top members, then the members of the metadata. */
export function differences(theirs: DefinitionBody, mine: DefinitionBody): readonly Difference[] {
  const found = TOP.flatMap((key) => compare(key, theirs[key], mine[key]));
  const keys = new Set([...Object.keys(theirs.metadata), ...Object.keys(mine.metadata)]);
  return [
    ...found,
    ...[...keys].flatMap((key) => compare(`metadata.${key}`, theirs.metadata[key], mine.metadata[key])),
  ];
}

const compare = (path: string, theirs: unknown, mine: unknown): readonly Difference[] =>
  same(theirs, mine) ? [] : [differenceOf(path, textOf(theirs), textOf(mine))];

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return JSON.stringify(value, null, 2);
}
