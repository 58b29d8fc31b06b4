import { api, must } from '$lib/kit/api/client';
import { allOf } from '$lib/kit/api/pages';
import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import type { Reference } from '$lib/features/schema-form/schema-form';
import { externalCollections } from '$lib/features/schema-form/choices';

/** Names of what tools refer to, by every way of referring to it. A name that is not there yet is null, and shows once it is. */
export interface Names {
  of(kind: Reference, reference: unknown): string | null;
}

type Table = ReadonlyMap<string, string>;

const tableOf = <Item>(
  items: readonly Item[],
  keys: (item: Item) => readonly unknown[],
  name: (item: Item) => string,
): Table => new Map(items.flatMap((item) => keys(item).map((key) => [String(key), name(item)] as const)));

const LOADERS: Readonly<Record<Reference, () => Promise<Table>>> = {
  knowledge_base: async () => {
    const [own, external] = await Promise.all([catalogues.knowledgeBases(), externalCollections()]);
    return new Map([
      ...tableOf(
        external,
        ({ id }) => [id],
        ({ name }) => name,
      ),
      ...tableOf(
        own,
        ({ id, slug }) => [id, slug],
        ({ name }) => name,
      ),
    ]);
  },
  rubric: async () =>
    tableOf(
      await catalogues.rubrics(),
      ({ id, origin_id }) => (origin_id === null ? [id] : [id, origin_id]),
      ({ title }) => title,
    ),
  file: async () =>
    tableOf(
      await catalogues.files(),
      ({ id, path }) => [id, path],
      ({ path }) => path,
    ),
  assistant: async () =>
    tableOf(
      await allOf(async (query) => must(await api.GET('/api/v1/assistants', { params: { query } }))),
      ({ id }) => [id],
      ({ name }) => name,
    ),
};

class KnownNames implements Names {
  private tables = $state.raw<Partial<Record<Reference, Table>>>({});
  private readonly asked = new Set<Reference>();
  private readonly loading = new Set<Reference>();

  of(kind: Reference, reference: unknown): string | null {
    if (!this.asked.has(kind)) void this.load(kind);
    const lent = (): string | undefined =>
      catalogues.lent.find((each) => each.type === kind && each.reference === String(reference))?.name;
    return this.tables[kind]?.get(String(reference)) ?? lent() ?? null;
  }

  /** Reads again what is shown: things are renamed elsewhere. */
  refresh(): void {
    for (const kind of this.asked) void this.load(kind);
  }

  private async load(kind: Reference): Promise<void> {
    if (this.loading.has(kind)) return;
    this.asked.add(kind);
    this.loading.add(kind);
    try {
      const table = await LOADERS[kind]();
      this.tables = { ...this.tables, [kind]: table };
    } catch {
      // Ids are shown instead; the next look asks again.
      this.asked.delete(kind);
    } finally {
      this.loading.delete(kind);
    }
  }
}

const known = new KnownNames();

/** Names for code outside components; `useNames` reads what may have been renamed again. */
export const knownNames: Names = known;

/** Names for summaries; asked for when they are first needed. Call it while a component starts. */
export function useNames(): Names {
  known.refresh();
  return known;
}
