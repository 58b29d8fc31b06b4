import { type Term, type ToolProfile, type ToolText, profileOf, termsOf, timesIn } from './tool-profile';

interface RankedTool {
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
interface Evidence {
  /** Scores by word, then by tool. */
  readonly words: readonly (readonly number[])[];
  readonly base: readonly number[];
}

/** BM25 over weighted texts. `similarities` are cosines of embeddings, one per tool; absent without an embedding model. */
function evidenceOf(query: string, known: readonly ToolProfile[], similarities?: readonly number[]): Evidence {
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

/** A logistic regression fitted on half of a public collection (docs/guide/planning.md says which and how). */
const BASE = -2.87;
const NAME_SHARE = 3.58;
const DESCRIPTION_SHARE = 3.7;
const MISSING_NUMBERS = -4.37;
const WANTS_NUMBERS = 1.34;
/** Chosen, not fitted: the collection has no example questions. Sharing a quarter of one makes the tool relevant. */
const EXAMPLE_SHARE = 5;

/**
 * Probability that the question fits the tool: shared words of name and description, the nearest example question, and
 * the numbers that the tool requires.
 */
export function relevanceOf(query: string, tool: ToolText): number {
  const asked = unique(termsOf(query));
  const question = profileOf({ name: '', description: query });
  const texts = [tool, ...(tool.translations ?? [])];
  const words = Math.max(
    ...texts.map(
      ({ name, description }) =>
        NAME_SHARE * share(unique(termsOf(name)), question) +
        DESCRIPTION_SHARE * share(unique(termsOf(description)), question),
    ),
  );
  const wanted = (tool.parameters ?? []).filter(({ type, required }) => required !== false && isNumeric(type)).length;
  const given = (query.match(/\d+(?:[.,]\d+)*/g) ?? []).length;
  const z =
    BASE +
    words +
    EXAMPLE_SHARE * Math.max(0, ...(tool.examples ?? []).map((example) => alike(asked, example))) +
    (wanted === 0 ? 0 : WANTS_NUMBERS + (MISSING_NUMBERS * Math.max(0, wanted - given)) / wanted);
  return 1 / (1 + Math.exp(-z));
}

const isNumeric = (type: string | undefined): boolean => ['integer', 'number', 'float'].includes(type ?? '');

const unique = (terms: readonly Term[]): Term[] => [...new Map(terms.map((term) => [term.stem, term])).values()];

/** Weighted share of the terms that a text has. */
function share(terms: readonly Term[], profile: ToolProfile): number {
  const found = terms.reduce((sum, term) => sum + term.weight * Math.min(1, timesIn(profile, term)), 0);
  return found / (weightOf(terms) || 1);
}

/** Similarity of two questions: the weight of their common words, divided by that of the longer question. */
function alike(asked: readonly Term[], example: string): number {
  const own = unique(termsOf(example));
  return (
    (share(asked, profileOf({ name: '', description: example })) * weightOf(asked)) /
    Math.max(weightOf(asked), weightOf(own), 1)
  );
}

const weightOf = (terms: readonly Term[]): number => terms.reduce((sum, { weight }) => sum + weight, 0);

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
