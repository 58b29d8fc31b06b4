import { api, must } from '$lib/kit/api/client';
import type { Material } from './recipes';

const MOST_DOCUMENTS = 20;
const MOST_TITLES = 3;
/** A longer title is a sentence, and no topic. */
const LONGEST = 80;

/**
 * Titles in a knowledge base that a search finds something for: a file name is in no passage, and a question about it
 * would have no answer. Empty for other material.
 */
export async function titlesIn(material: Material, id: string): Promise<readonly string[]> {
  if (material.kind !== 'knowledge_base') return [];
  const params = { path: { knowledgeBaseId: id }, query: { status: 'completed' as const, limit: MOST_DOCUMENTS } };
  const { items } = must(await api.GET('/api/v1/knowledge-bases/{knowledgeBaseId}/documents', { params }));
  const titles = [...new Set(items.map(({ title }) => title?.trim() ?? ''))].filter(
    (title) => title !== '' && title.length <= LONGEST,
  );
  const found = await Promise.all(titles.slice(0, 2 * MOST_TITLES).map((title) => isFound(id, title)));
  return titles.filter((_, index) => found[index]).slice(0, MOST_TITLES);
}

async function isFound(id: string, title: string): Promise<boolean> {
  const body = { query: title, top_k: 1, threshold: 0, parent: false };
  const { results } = must(await api.POST('/api/v1/knowledge-bases/{id}/query', { params: { path: { id } }, body }));
  return results.length > 0;
}
