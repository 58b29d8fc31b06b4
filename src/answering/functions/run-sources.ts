import { type Source, sourceIdentity } from '../../kernel';
import { type FunctionOutcome, writeNumbers } from '../../tools';

/**
 * Numbers the sources of functions within the run. Sources are equal when they are the same passage of the same place,
 * whichever tool found them. A known source keeps its number; a new one gets the next number.
 */
export class RunSources {
  private readonly added: Source[] = [];

  constructor(private readonly ofPrompt: readonly Source[]) {}

  /** Sources of functions that are not in the prompt. */
  get ofCalls(): readonly Source[] {
    return this.added;
  }

  get all(): readonly Source[] {
    return this.added.length === 0 ? this.ofPrompt : [...this.ofPrompt, ...this.added];
  }

  /** Returns the found sources with their numbers. */
  add(found: readonly Source[]): readonly Source[] {
    if (found.length === 0) return found;
    const known = new Map<string, number[]>();
    for (const [place, source] of this.all.entries()) numbersOf(known, source).push(source.n ?? place + 1);
    const seen = new Map<string, number[]>();
    return found.map((source) => {
      const numbers = numbersOf(known, source);
      const earlier = numbersOf(seen, source);
      const n = numbers[earlier.length] ?? this.all.length + 1;
      if (numbers.length === earlier.length) {
        numbers.push(n);
        this.added.push({ ...source, n });
      }
      earlier.push(n);
      return { ...source, n };
    });
  }

  /** The outcome with the run's numbers in its citations. */
  numbered(outcome: FunctionOutcome): FunctionOutcome {
    if (outcome.status !== 'completed') return outcome;
    const sources = this.add(outcome.sources);
    const content = writeNumbers(outcome.content, outcome.citations ?? [], sources);
    return { ...outcome, sources, content, citations: [] };
  }
}

function numbersOf(numbers: Map<string, number[]>, source: Source): number[] {
  const identity = sourceIdentity(source);
  const list = numbers.get(identity) ?? [];
  numbers.set(identity, list);
  return list;
}
