import { AppError, type Principal } from '../kernel';
import type { KnowledgeBasesService, Retrieval, RetrievalQuery } from '../knowledge-bases';
import { ToolFailure } from './contract';

/**
 * Retrieves from those collections that `owner` may read: one that vanished or is no longer shared is reported in
 * `warnings` and skipped, as a dead one is, and the others still answer. Rejects with `tool.inaccessible` when none is left.
 */
export async function retrieveAccessible(
  knowledgeBases: Pick<KnowledgeBasesService, 'retrieve' | 'inaccessible'>,
  owner: Principal,
  query: RetrievalQuery,
): Promise<Retrieval> {
  try {
    return await knowledgeBases.retrieve(owner, query);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  const missing = new Set(await knowledgeBases.inaccessible(owner, query.collections));
  const collections = query.collections.filter((collection) => !missing.has(collection));
  const warnings = [...missing].map((collection) => `knowledge base ${collection} is not accessible`);
  if (collections.length === 0) throw new ToolFailure('tool.inaccessible', warnings.join(', '));
  const found = await knowledgeBases.retrieve(owner, { ...query, collections });
  return { ...found, warnings: [...warnings, ...found.warnings] };
}
