import type { Finding, ToolUse } from './asked-question.types';

/** Tools, processors and functions that search knowledge bases. A search by meaning tells no match. */
const SEARCH_PLUGINS: ReadonlySet<string> = new Set([
  ...['simple_rag', 'context_aware_rag', 'hierarchical_rag'],
  ...['keyword_search', 'vector_search', 'hybrid_search', 'knowledge_base'],
]);

/** A function that found nothing tells the model so, in words. */
const SPEAKING_PLUGINS: ReadonlySet<string> = new Set(['knowledge_base']);

/**
 * Result of the searches for an answer: `nothing` without any text; `weak` when every search that found some tells that it
 * hardly fits. Null without a search, and when every search failed: then nobody knows what there is.
 */
export function findingOf(uses: readonly ToolUse[], hasSources: boolean): Finding | null {
  const searches = uses.filter(
    ([plugin, status, , weak]) => status === 'completed' && (SEARCH_PLUGINS.has(plugin) || weak !== null),
  );
  if (searches.length === 0) return hasSources ? 'good' : null;
  const found = searches.filter(([plugin, , chars]) => chars !== 0 && (hasSources || !SPEAKING_PLUGINS.has(plugin)));
  if (found.length === 0 && !hasSources) return 'nothing';
  return found.length > 0 && found.every(([, , , weak]) => weak === true) ? 'weak' : 'good';
}
