import type { Finding, ToolUse } from './asked-question.types';
import type { MaterialSearches } from './material-searches.service';

/**
 * Result of the searches for an answer: `nothing` without any text; `weak` when every search that found some tells that it
 * hardly fits. Null without a search, and when every search failed: then nobody knows what there is.
 *
 * A recorded match proves a search, also by a plugin that is gone. Without one, an unknown plugin counts as no search.
 */
export function findingOf(
  uses: readonly ToolUse[],
  hasSources: boolean,
  searches: Pick<MaterialSearches, 'of'>,
): Finding | null {
  const completed = uses
    .filter(([, status]) => status === 'completed')
    .map(([plugin, , chars, weak]) => ({ search: searches.of(plugin), chars, weak }))
    .filter(({ search, weak }) => search !== null || weak !== null);
  if (completed.length === 0) return hasSources ? 'good' : null;
  const found = completed.filter(
    ({ search, chars }) => chars !== 0 && (hasSources || search?.nothing_found !== 'worded'),
  );
  if (found.length === 0 && !hasSources) return 'nothing';
  return found.length > 0 && found.every(({ weak }) => weak === true) ? 'weak' : 'good';
}
