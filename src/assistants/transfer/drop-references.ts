import { collectionList, type DefinitionInput, type Diagnostic, parseMetadata } from '../../definition';
import { isJsonObject } from '../../kernel';
import type { DroppedDto } from './import.dto';

/** Removes a list item; any other value becomes null, which means "not chosen yet". */
function take(root: unknown, tokens: readonly string[]): void {
  let parent: unknown = root;
  for (const token of tokens.slice(0, -1)) parent = child(parent, token);
  const last = tokens.at(-1) ?? '';
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isJsonObject(parent) && Object.hasOwn(parent, last)) (parent as Record<string, unknown>)[last] = null;
}

function child(parent: unknown, token: string): unknown {
  if (Array.isArray(parent)) return parent[Number(token)];
  return isJsonObject(parent) && Object.hasOwn(parent, token) ? parent[token] : undefined;
}

const tokensOf = (path: string): string[] => path.split(/[.[\]]+/).filter((token) => token !== '');

/** A function needs its target, so the whole entry is removed. */
const wholeFunction = (path: string): string =>
  /^(metadata\.(?:functions|tools)\[\d+\])\.(?:kb_id|rubric_id|assistant_id)$/.exec(path)?.[1] ?? path;

/** Removes references that the new owner may not read from a copy of the definition, and lists them. */
export function dropReferences(
  input: DefinitionInput,
  diagnostics: readonly Diagnostic[],
): { readonly input: DefinitionInput; readonly dropped: readonly DroppedDto[] } {
  const paths = diagnostics
    .filter(({ severity, code }) => severity === 'error' && code === 'tool.inaccessible')
    .map(({ path }) => wholeFunction(path));
  if (paths.length === 0) return { input, dropped: [] };
  const collections = input.RAG_collections ?? [];
  const parsed = parseMetadata(input.metadata);
  const copy = structuredClone({
    ...input,
    metadata: parsed.ok ? parsed.metadata : input.metadata,
    RAG_collections: typeof collections === 'string' ? collectionList(collections) : [...collections],
  });
  // From the back, so that earlier positions stay what they were.
  const fromBack = [...new Set(paths)].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  for (const path of fromBack) take(copy, tokensOf(path));
  const why = { reason: 'refers to something that you cannot use', code: 'import.reference' } as const;
  return { input: copy, dropped: paths.map((path) => ({ path, ...why })) };
}
