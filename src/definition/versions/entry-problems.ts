import type { JsonObject, Problem } from '../../kernel';
import { member } from '../metadata/parse-metadata';
import { readToolEntries } from '../metadata/tool-entries';

/** What of `tools` and `functions` no reader understands, so that rewriting the document would lose it. */
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
