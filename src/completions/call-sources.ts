import type { Source } from '../kernel';
import type { CompletionFacts } from './completion.types';

/** Links to documents of ours are signed anew for each call: the document tells, not its link. */
const identityOf = (source: Source): string =>
  JSON.stringify({ ...source, n: undefined, ...('document_id' in source ? { url: undefined } : {}) });

/** Adds what functions found to the facts, each source once and numbered behind those that are there. */
export function addCallSources({ prepared, callSources }: CompletionFacts, found: readonly Source[]): void {
  if (found.length === 0) return;
  const before = prepared?.sources ?? [];
  const known = new Set([...before, ...callSources].map(identityOf));
  for (const source of found) {
    const identity = identityOf(source);
    if (known.has(identity)) continue;
    known.add(identity);
    callSources.push({ ...source, n: before.length + callSources.length + 1 });
  }
}
