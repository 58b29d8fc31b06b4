import type { ToolText } from './tool-text.types';
import { type Term, termsOf } from './words';

/** Weights of a tool's texts, chosen on half of a public collection (docs/guide/planning.md says which and how). */
const NAME = 1;
const DESCRIPTION = 1;
const PARAMETERS = 0.4;
const EXAMPLES = 0.5;
/** Weight of a question's word inside a compound name such as `carpark`. */
const INSIDE_NAME = 0.5;
/** Weight of a similar stem: one with the same beginning, as `transport` and `transporter`. */
const BEGINS_ALIKE = 0.4;
const ALIKE_CHARS = 4;
const ALIKE_SHARE = 0.7;
const ABOUT_ANYTHING = 'search web internet inform knowledg fact anyth quest answ onlin'.split(' ');

/** The words of a tool's texts for ranking; made once for each tool of an assistant. */
export interface ToolProfile {
  readonly frequency: ReadonlyMap<string, number>;
  /** Stems by their first letters. */
  readonly beginnings: ReadonlyMap<string, readonly string[]>;
  readonly length: number;
  readonly letters: string;
  /** 0..1: how much the tool's texts describe a tool for any question, such as a web search. */
  readonly anything: number;
}

export function profileOf(tool: ToolText): ToolProfile {
  const frequency = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number): void => {
    for (const term of termsOf(text)) {
      frequency.set(term.stem, (frequency.get(term.stem) ?? 0) + weight);
      length += weight * term.weight;
    }
  };
  add(tool.name, NAME);
  add(tool.description, DESCRIPTION);
  for (const { name, description } of tool.translations ?? []) add(`${name} ${description}`, DESCRIPTION);
  for (const { name, description } of tool.parameters ?? []) add(`${name} ${description}`, PARAMETERS);
  for (const example of tool.examples ?? []) add(example, EXAMPLES);
  const beginnings = new Map<string, string[]>();
  for (const stem of frequency.keys()) {
    const start = stem.slice(0, ALIKE_CHARS);
    beginnings.set(start, [...(beginnings.get(start) ?? []), stem]);
  }
  const anything = ABOUT_ANYTHING.filter((word) => frequency.has(word)).length;
  const letters = tool.name.toLowerCase().replace(/[^a-z]/g, '');
  return { frequency, beginnings, length, letters, anything: anything / (anything + 1) };
}

/** Frequency of the word in the tool's texts, weighted by text; lower when they have only a similar word. */
export function timesIn(profile: ToolProfile, term: Term): number {
  const times = profile.frequency.get(term.stem);
  if (times !== undefined) return times;
  return Math.max(insideName(term, profile), similar(term, profile));
}

function insideName({ word, stem }: Term, { letters }: ToolProfile): number {
  if (word.length < 4) return 0;
  return letters.includes(word) || (stem.length >= 4 && letters.includes(stem)) ? INSIDE_NAME : 0;
}

function similar({ stem }: Term, { beginnings, frequency }: ToolProfile): number {
  if (stem.length < ALIKE_CHARS) return 0;
  const alike = (beginnings.get(stem.slice(0, ALIKE_CHARS)) ?? []).filter((other) => beginAlike(stem, other));
  return BEGINS_ALIKE * Math.max(0, ...alike.map((other) => frequency.get(other) ?? 0));
}

function beginAlike(one: string, other: string): boolean {
  let at = ALIKE_CHARS;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at >= ALIKE_SHARE * Math.max(one.length, other.length);
}
