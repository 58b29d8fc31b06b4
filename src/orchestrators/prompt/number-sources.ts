import { type Source, sourceIdentity } from '../../kernel';
import { type ToolOutcome, writeNumbers } from '../../tools';

export interface NumberedOutcomes {
  /** The outcomes with their citations written into the content, sources numbered. */
  readonly outcomes: readonly ToolOutcome[];
  /** Every source once in the order of `n`, from 1. */
  readonly sources: readonly Source[];
}

interface Keyed {
  readonly key: string;
  readonly source: Source;
  /** The text for the model shows its number. */
  readonly isCited: boolean;
}

/**
 * Numbers the sources of all tools, and writes the numbers into the tools' citations. Cited sources come first, in tool
 * order: the model never read the numbers of the others. Equal sources of two tools become one. Equal passages of one tool
 * stay two, because its text holds both.
 */
export function numberSources(outcomes: readonly ToolOutcome[]): NumberedOutcomes {
  if (outcomes.every((outcome) => outcome.status !== 'completed' || outcome.sources.length === 0)) {
    return { outcomes, sources: [] };
  }
  const keyed = outcomes.map(keyedSources);
  const found = keyed.flat();
  const numbers = new Map<string, Source>();
  for (const wanted of [true, false]) {
    for (const { key, source, isCited } of found) {
      if (isCited === wanted && !numbers.has(key)) numbers.set(key, { ...source, n: numbers.size + 1 });
    }
  }
  const numbered = outcomes.map((outcome, at) => {
    if (outcome.status !== 'completed' || outcome.sources.length === 0) return outcome;
    const own = (keyed[at] ?? []).map(({ key, source }): Source => ({ ...source, n: numbers.get(key)?.n }));
    const content = writeNumbers(outcome.content, outcome.citations, own);
    return { ...outcome, content, sources: own, citations: [] };
  });
  return { outcomes: numbered, sources: [...numbers.values()] };
}

function keyedSources(outcome: ToolOutcome): readonly Keyed[] {
  if (outcome.status !== 'completed') return [];
  const cited = new Set(outcome.citations.map(({ source }) => source));
  const seen = new Map<string, number>();
  return outcome.sources.map((source, place) => {
    const identity = sourceIdentity(source);
    const occurrence = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, occurrence);
    return { key: `${occurrence} ${identity}`, source, isCited: cited.has(place) };
  });
}
