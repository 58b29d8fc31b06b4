import { type Source, sourceIdentity } from '../kernel';
import { type ToolOutcome, writeNumbers } from '../tools';

export interface NumberedOutcomes {
  /** The outcomes with their citations written into the content, sources numbered. */
  readonly outcomes: readonly ToolOutcome[];
  /** Every source once, in tool order, `n` from 1. */
  readonly sources: readonly Source[];
}

/**
 * Numbers the sources of all tools in tool order, and writes the numbers into the tools' citations. Equal sources of
 * two tools become one. Equal passages of one tool stay two, because its text holds both.
 */
export function numberSources(outcomes: readonly ToolOutcome[]): NumberedOutcomes {
  if (outcomes.every((outcome) => outcome.status !== 'completed' || outcome.sources.length === 0)) {
    return { outcomes, sources: [] };
  }
  const sources: Source[] = [];
  const numbers = new Map<string, number>();
  const numbered = outcomes.map((outcome) => {
    if (outcome.status !== 'completed' || outcome.sources.length === 0) return outcome;
    const seen = new Map<string, number>();
    const own = outcome.sources.map((source): Source => {
      const identity = sourceIdentity(source);
      const occurrence = (seen.get(identity) ?? 0) + 1;
      seen.set(identity, occurrence);
      const key = `${occurrence} ${identity}`;
      const known = numbers.get(key);
      if (known !== undefined) return { ...source, n: known };
      const added = { ...source, n: sources.length + 1 };
      numbers.set(key, added.n);
      sources.push(added);
      return added;
    });
    const content = writeNumbers(outcome.content, outcome.citations, own);
    return { ...outcome, content, sources: own, citations: [] };
  });
  return { outcomes: numbered, sources };
}
