import type { JsonObject, Problem } from '../../../kernel';
import { member } from '../metadata/parse-metadata';
import { readToolEntries } from '../metadata/tool-entries';

/** Reports entries of `tools` and `functions` that a rewrite would lose. */
export function entryProblems(metadata: JsonObject): readonly Problem[] {
  const lists = ['tools', 'functions'].flatMap((key): Problem[] => {
    const value = member(metadata, key) ?? null;
    if (value === null || Array.isArray(value)) return [];
    return [{ path: `metadata.${key}`, code: 'metadata.invalid', message: 'must be an array' }];
  });
  const entries = readToolEntries(metadata).malformed.map((path): Problem => {
    const message = 'must be the name of a function, or an object with `plugin` or `type`';
    return { path: `metadata.${path}`, code: 'tool.invalid', message };
  });
  return [...lists, ...entries];
}
