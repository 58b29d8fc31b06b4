import { lengthOf, subjectsOf, type SubjectWeights } from './subjects';
import type { ToolText } from './tool-text.types';
import { type Term, termsOf } from './words';

export interface RankedTool {
  /** Position among the tools given. */
  readonly at: number;
  /** Higher is better; comparable among the tools of one call only. */
  readonly score: number;
}

/** Field weights and BM25's two numbers, chosen on half of a public collection (docs/guide/planning.md says which and how). */
const NAME = 3;
const DESCRIPTION = 1;
const PARAMETERS = 0.4;
const EXAMPLES = 0.8;
const K1 = 2;
const B = 0.6;
const RARITY = 0.5;
/** Weight of a question's word inside a compound name such as `carpark`. */
const INSIDE_NAME = 0.5;
const SUBJECTS = 4;
/** Preference for tools with few subjects over tools with many. */
const FOCUS = 0.75;
const MOST_OF_A_SUBJECT = 1.5;
const HALF_A_SUBJECT = 0.5;
/** Base score of tools for any question, so that they win where nothing else fits. */
const ANYTHING = 0.15;
const EMBEDDING = 6;
const ABOUT_ANYTHING = 'search web internet inform knowledg fact anyth quest answ onlin'.split(' ');

/** The words of a tool's texts for ranking; made once for each tool of an assistant. */
export interface ToolProfile {
  readonly frequency: ReadonlyMap<string, number>;
  readonly length: number;
  readonly subjects: SubjectWeights;
  readonly letters: string;
  readonly anything: number;
}

/**
 * Tools by how well their words and subjects fit the question, best first: BM25 over weighted fields, and the same over
 * subjects. `similarities` are cosines of embeddings, one per tool, where there is an embedding model.
 */
export function rankTools(
  query: string,
  known: readonly ToolProfile[],
  similarities?: readonly number[],
): RankedTool[] {
  const asked = [...new Map(termsOf(query).map((term) => [term.stem, term])).values()];
  const byWords = wordScores(asked, known);
  const bySubjects = subjectScores(asked, known);
  return known
    .map(({ anything }, at) => ({
      at,
      score: ANYTHING * anything + (byWords[at] ?? 0) + (bySubjects[at] ?? 0) + EMBEDDING * (similarities?.[at] ?? 0),
    }))
    .sort((one, other) => other.score - one.score || one.at - other.at);
}

function wordScores(asked: readonly Term[], known: readonly ToolProfile[]): number[] {
  const mean = known.reduce((sum, { length }) => sum + length, 0) / Math.max(1, known.length) || 1;
  const scores = known.map(() => 0);
  for (const term of asked) {
    const rarity = rarityOf(known.filter(({ frequency }) => frequency.has(term.stem)).length, known.length);
    for (const [at, profile] of known.entries()) {
      const times = profile.frequency.get(term.stem) ?? insideName(term, profile);
      const norm = times + K1 * (1 - B + (B * profile.length) / mean);
      if (times > 0) scores[at] = (scores[at] ?? 0) + (term.weight * rarity * times * (K1 + 1)) / norm;
    }
  }
  return scores;
}

function subjectScores(asked: readonly Term[], known: readonly ToolProfile[]): number[] {
  const scores = known.map(() => 0);
  for (const [subject, weight] of subjectsOf(asked)) {
    const rarity = rarityOf(known.filter(({ subjects }) => subjects.has(subject)).length, known.length);
    const share = SUBJECTS * rarity * Math.min(weight, MOST_OF_A_SUBJECT);
    for (const [at, { subjects }] of known.entries()) {
      const own = subjects.get(subject) ?? 0;
      if (own > 0) scores[at] = (scores[at] ?? 0) + (share * own) / (own + HALF_A_SUBJECT);
    }
  }
  return scores;
}

const rarityOf = (having: number, all: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5)) ** RARITY;

function insideName({ word, stem }: Term, { letters }: ToolProfile): number {
  if (word.length < 4) return 0;
  return letters.includes(word) || (stem.length >= 4 && letters.includes(stem)) ? INSIDE_NAME : 0;
}

export function profileOf(tool: ToolText): ToolProfile {
  const frequency = new Map<string, number>();
  const about: Term[] = [];
  let length = 0;
  const add = (text: string, weight: number, asSubject: number): void => {
    for (const term of termsOf(text)) {
      frequency.set(term.stem, (frequency.get(term.stem) ?? 0) + weight);
      length += weight * term.weight;
      about.push({ ...term, weight: term.weight * asSubject });
    }
  };
  add(tool.name, NAME, 1);
  add(tool.description, DESCRIPTION, 1);
  for (const { name, description } of tool.parameters ?? []) add(`${name} ${description}`, PARAMETERS, 0.3);
  for (const example of tool.examples ?? []) add(example, EXAMPLES, 0.5);
  const subjects = subjectsOf(about);
  const focus = lengthOf(subjects) ** FOCUS || 1;
  for (const [subject, weight] of subjects) subjects.set(subject, weight / focus);
  const anything = ABOUT_ANYTHING.filter((word) => frequency.has(word)).length;
  const letters = tool.name.toLowerCase().replace(/[^a-z]/g, '');
  return { frequency, length, subjects, letters, anything: anything / (anything + 1) };
}
