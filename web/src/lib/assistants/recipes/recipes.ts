import { api, must, type Schema } from '$lib/api/client';
import { i18n } from '$lib/i18n/i18n.svelte';

export type Recipe = Schema<'RecipeDto'>;
export type Material = Recipe['materials'][number];
/** What is chosen, by the material's key: an id, or the path of a file. */
export type Chosen = Readonly<Record<string, string | null>>;

/** The recipes in the reader's language. */
export const fetchRecipes = async (): Promise<readonly Recipe[]> =>
  must(await api.GET('/api/v1/recipes', { headers: { 'accept-language': i18n.locale } })).recipes;

type Entry = Record<string, unknown>;

/** The assistant of a recipe, its materials filled in. */
export function definitionOf({ definition, materials }: Recipe, chosen: Chosen): Recipe['definition'] {
  const metadata = structuredClone(definition.metadata) as Record<'tools' | 'functions', Entry[]>;
  for (const { key, fills } of materials) {
    const value = chosen[key] ?? null;
    for (const { list, index, setting, many } of fills) {
      const entry = metadata[list][index];
      if (entry === undefined || value === null) continue;
      const target = list === 'tools' ? (entry['config'] as Entry) : entry;
      target[setting] = many ? [value] : value;
    }
  }
  return { ...definition, metadata };
}
