import type { DefinitionBody } from './body';
import { differences } from './field-diff';

/** Fields that only they changed: taking these from their version loses nothing of either side. */
export function theirFields(base: DefinitionBody, theirs: DefinitionBody, mine: DefinitionBody): ReadonlySet<string> {
  const changedByMe = new Set(differences(base, mine).map(({ path }) => path));
  const changedByThem = differences(base, theirs).map(({ path }) => path);
  return new Set(changedByThem.filter((path) => !changedByMe.has(path)));
}

/** `mine` with the fields `paths` of `theirs`. Paths are those of `differences`. */
export function merged(mine: DefinitionBody, theirs: DefinitionBody, paths: ReadonlySet<string>): DefinitionBody {
  const result: Record<string, unknown> = { ...mine };
  const metadata: Record<string, unknown> = { ...mine.metadata };
  for (const path of paths) {
    const key = path.replace(/^metadata\./, '');
    const [from, to]: [Readonly<Record<string, unknown>>, Record<string, unknown>] =
      key === path ? [{ ...theirs }, result] : [theirs.metadata, metadata];
    if (from[key] === undefined) delete to[key];
    else to[key] = from[key];
  }
  return { ...result, metadata } as unknown as DefinitionBody;
}
