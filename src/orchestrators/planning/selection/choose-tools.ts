import { evidenceOf } from './rank-tools';
import type { ToolProfile } from './tool-profile';

/** Least gain of a further tool, as a share of the first one's gain. */
const LEAST_GAIN = 0.35;
/** Share of a word's score that a further tool loses if an earlier tool has the word, too. */
const OVERLAP = 0.6;

export interface ToolChoice {
  /** One per tool, where there is an embedding model. */
  readonly similarities?: readonly number[];
  /** Number of tools; without it the gains decide. */
  readonly exactly?: number;
}

/**
 * The set of tools that a question needs, best first. Words that an earlier tool already covers count less for a further
 * one: greedy maximisation of a coverage function (Nemhauser, Wolsey and Fisher, 1978).
 */
export function chooseTools(
  query: string,
  known: readonly ToolProfile[],
  { similarities, exactly }: ToolChoice = {},
): number[] {
  const { words, base } = evidenceOf(query, known, similarities);
  const covered = words.map(() => 0);
  const left = new Set(known.keys());
  const chosen: number[] = [];
  let first = 0;
  while (left.size > 0 && chosen.length !== exactly) {
    const { at, gain } = bestOf(left, (tool) =>
      words.reduce((sum, word, of) => sum + added(word[tool] ?? 0, covered[of] ?? 0), base[tool] ?? 0),
    );
    if (chosen.length === 0) first = gain;
    if (exactly === undefined && (gain <= 0 || gain < LEAST_GAIN * first)) break;
    chosen.push(at);
    left.delete(at);
    for (const [of, word] of words.entries()) covered[of] = Math.max(covered[of] ?? 0, word[at] ?? 0);
  }
  return chosen;
}

const added = (score: number, covered: number): number => score - OVERLAP * Math.min(score, covered);

function bestOf(tools: Iterable<number>, gainOf: (tool: number) => number): { at: number; gain: number } {
  let best = { at: -1, gain: -Infinity };
  for (const at of tools) {
    const gain = gainOf(at);
    if (gain > best.gain) best = { at, gain };
  }
  return best;
}
