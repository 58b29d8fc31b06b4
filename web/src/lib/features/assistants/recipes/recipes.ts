import { api, must, type Schema } from '$lib/kit/api/client';
import { i18n } from '$lib/kit/i18n/i18n.svelte';

export type Recipe = Schema<'RecipeDto'>;
export type Material = Recipe['materials'][number];
/** Chosen material by its key: an id, or the path of a file. */
export type Chosen = Readonly<Record<string, string | null>>;

/** The recipes in the reader's language. */
export const fetchRecipes = async (): Promise<readonly Recipe[]> =>
  must(await api.GET('/api/v1/recipes', { headers: { 'accept-language': i18n.locale } })).recipes;

type Entry = Record<string, unknown>;

const MOST_QUESTIONS = 3;

/** First questions about the titles; those for any material where there is no title. */
export function questionsFor({ questions, topic }: Recipe, titles: readonly string[]): readonly string[] {
  const forms = topic?.questions ?? [];
  if (titles.length === 0 || forms.length === 0) return questions;
  return titles
    .slice(0, MOST_QUESTIONS)
    .map((title, index) => (forms[index % forms.length] ?? '').replace('{topic}', () => title));
}

/** The assistant of a recipe, its materials filled in. */
export function definitionOf(
  { definition, materials }: Recipe,
  chosen: Chosen,
  questions: readonly string[],
): Recipe['definition'] {
  const metadata = structuredClone({ ...definition.metadata, suggested_questions: [...questions] });
  const lists = metadata as unknown as Record<'tools' | 'functions', Entry[]>;
  for (const { key, fills } of materials) {
    const value = chosen[key] ?? null;
    for (const { list, index, setting, many } of fills) {
      const entry = lists[list][index];
      if (entry === undefined || value === null) continue;
      const target = list === 'tools' ? (entry['config'] as Entry) : entry;
      target[setting] = many ? [value] : value;
    }
  }
  return { ...definition, metadata };
}
