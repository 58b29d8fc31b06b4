import { timesIn, type ToolProfile } from './tool-profile';
import { type Term, termsOf } from './words';

export interface RankedTool {
  /** Position among the tools given. */
  readonly at: number;
  /** Higher is better; comparable among the tools of one call only. */
  readonly score: number;
}

/** Parameters of BM25, and the exponent of the inverse document frequency. */
const K1 = 1.5;
const B = 0.6;
const RARITY = 0.5;
/** Least frequency that counts as having the word: a similar word in a text of low weight does not. */
const HAS_IT = 0.3;
/** Base score of tools for any question, so that they win where nothing else fits. */
const ANYTHING = 0.15;
const EMBEDDING = 6;

/** The score of each tool by the words of a question, and its base score, which does not depend on them. */
export interface Evidence {
  /** By word, then by tool. */
  readonly words: readonly (readonly number[])[];
  readonly base: readonly number[];
}

/** BM25 over weighted texts. `similarities` are cosines of embeddings, one per tool; absent without an embedding model. */
export function evidenceOf(query: string, known: readonly ToolProfile[], similarities?: readonly number[]): Evidence {
  const mean = known.reduce((sum, { length }) => sum + length, 0) / Math.max(1, known.length) || 1;
  const asked = [...new Map(termsOf(query).map((term) => [term.stem, term])).values()];
  return {
    words: asked.map((term) => wordScores(term, known, mean)),
    base: known.map(({ anything }, at) => ANYTHING * anything + EMBEDDING * (similarities?.[at] ?? 0)),
  };
}

function wordScores(term: Term, known: readonly ToolProfile[], mean: number): number[] {
  const times = known.map((profile) => timesIn(profile, term));
  const having = times.filter((each) => each >= HAS_IT).length;
  const rarity = Math.log(1 + (known.length - having + 0.5) / (having + 0.5)) ** RARITY;
  return known.map(({ length }, at) => {
    const own = times[at] ?? 0;
    const norm = own + K1 * (1 - B + (B * length) / mean);
    return own === 0 ? 0 : (term.weight * rarity * own * (K1 + 1)) / norm;
  });
}

/** Tools by how well their words fit the question, best first. */
export function rankTools(
  query: string,
  known: readonly ToolProfile[],
  similarities?: readonly number[],
): RankedTool[] {
  const { words, base } = evidenceOf(query, known, similarities);
  return known
    .map((_, at) => ({ at, score: words.reduce((sum, word) => sum + (word[at] ?? 0), base[at] ?? 0) }))
    .sort((one, other) => other.score - one.score || one.at - other.at);
}
