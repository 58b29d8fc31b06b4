import { api, must } from '$lib/kit/api/client';
import { allOf } from '$lib/kit/api/pages';

export interface UsingAssistant {
  readonly id: number;
  readonly name: string;
}

/** Whether a text anywhere inside `value` equals one of `references`. */
export function mentions(value: unknown, references: Pick<ReadonlySet<string>, 'has'>): boolean {
  if (typeof value === 'string') return references.has(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => mentions(each, references));
}

/** Assistants the reader can see whose settings name one of `references` (ids, slugs, paths). */
export async function assistantsUsing(references: readonly string[]): Promise<readonly UsingAssistant[]> {
  const wanted = new Set(references);
  const assistants = await allOf(
    async (query) => must(await api.GET('/api/v1/assistants', { params: { query } })),
    500,
  );
  return assistants
    .filter(({ metadata, RAG_collections: collections }) => mentions([metadata, collections], wanted))
    .map(({ id, name }) => ({ id, name }));
}
