import { type Source, sourceIdentity } from '../../kernel';
import { type ToolOutcome, writeNumbers } from '../../tools';

export interface NumberedOutcomes {
  /** The outcomes with their citations written into the content, sources numbered. */
  readonly outcomes: readonly ToolOutcome[];
  /** Every source of the told outcomes once, in the order of `n`, from 1. */
  readonly sources: readonly Source[];
}

interface Keyed {
  readonly key: string;
  readonly source: Source;
  /** The text for the model shows its number. */
  readonly isCited: boolean;
  /** Its outcome is told to the caller. */
  readonly isTold: boolean;
}

/** Told and cited, told, not told: the numbers of told sources have no gap. */
const RANKS = [
  ({ isTold, isCited }: Keyed): boolean => isTold && isCited,
  ({ isTold, isCited }: Keyed): boolean => isTold && !isCited,
  ({ isTold }: Keyed): boolean => !isTold,
];

/**
 * Numbers the sources of all tools, and writes the numbers into the tools' citations. Cited sources come first, in tool
 * order: the model never read the numbers of the others. Equal sources of two tools become one. Equal passages of one tool
 * stay two, because its text holds both. Sources of an outcome that `isTold` denies come last and are not told.
 */
export function numberSources(
  outcomes: readonly ToolOutcome[],
  isTold: (outcome: ToolOutcome) => boolean = () => true,
): NumberedOutcomes {
  if (outcomes.every((outcome) => outcome.status !== 'completed' || outcome.sources.length === 0)) {
    return { outcomes, sources: [] };
  }
  const keyed = outcomes.map((outcome) => keyedSources(outcome, isTold(outcome)));
  const found = keyed.flat();
  const numbers = new Map<string, Source>();
  for (const isRanked of RANKS) {
    for (const each of found) {
      const { key, source } = each;
      if (isRanked(each) && !numbers.has(key)) numbers.set(key, { ...source, n: numbers.size + 1 });
    }
  }
  const told = new Set(found.flatMap(({ key, isTold }) => (isTold ? [key] : [])));
  const numbered = outcomes.map((outcome, at) => {
    if (outcome.status !== 'completed' || outcome.sources.length === 0) return outcome;
    const own = (keyed[at] ?? []).map(({ key, source }): Source => ({ ...source, n: numbers.get(key)?.n }));
    const content = writeNumbers(outcome.content, outcome.citations, own);
    return { ...outcome, content, sources: own, citations: [] };
  });
  return { outcomes: numbered, sources: [...numbers].flatMap(([key, source]) => (told.has(key) ? [source] : [])) };
}

function keyedSources(outcome: ToolOutcome, isTold: boolean): readonly Keyed[] {
  if (outcome.status !== 'completed') return [];
  const cited = new Set(outcome.citations.map(({ source }) => source));
  const seen = new Map<string, number>();
  return outcome.sources.map((source, place) => {
    const identity = sourceIdentity(source);
    const occurrence = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, occurrence);
    return { key: `${occurrence} ${identity}`, source, isCited: cited.has(place), isTold };
  });
}
