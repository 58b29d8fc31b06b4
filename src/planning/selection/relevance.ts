import { likeness, subjectsOf } from './subjects';
import type { ToolText } from './tool-text.types';
import { type Term, termsOf } from './words';

/** A logistic regression fitted on half of a public collection (docs/guide/planning.md says which and how). */
const BASE = -2.74;
const NAME_SHARE = 3.16;
const DESCRIPTION_SHARE = 2.83;
const SUBJECTS = 0.84;
const MISSING_NUMBERS = -3.57;
const WANTS_NUMBERS = 1.08;

/**
 * Probability that the question fits the tool: shared words of name and description, and the numbers that the tool
 * requires.
 */
export function relevanceOf(query: string, tool: ToolText): number {
  const asked = termsOf(query);
  const stems = new Set(asked.map(({ stem }) => stem));
  const name = unique(termsOf(tool.name));
  const description = unique(termsOf(tool.description));
  const wanted = (tool.parameters ?? []).filter(({ type, required }) => required !== false && isNumeric(type)).length;
  const given = (query.match(/\d+(?:[.,]\d+)*/g) ?? []).length;
  const z =
    BASE +
    NAME_SHARE * share(name, stems) +
    DESCRIPTION_SHARE * share(description, stems) +
    SUBJECTS * likeness(subjectsOf(unique(asked)), subjectsOf([...name, ...description])) +
    (wanted === 0 ? 0 : WANTS_NUMBERS + (MISSING_NUMBERS * Math.max(0, wanted - given)) / wanted);
  return 1 / (1 + Math.exp(-z));
}

const isNumeric = (type: string | undefined): boolean => ['integer', 'number', 'float'].includes(type ?? '');

const unique = (terms: readonly Term[]): Term[] => [...new Map(terms.map((term) => [term.stem, term])).values()];

function share(terms: readonly Term[], among: ReadonlySet<string>): number {
  let all = 0;
  let found = 0;
  for (const { stem, weight } of terms) {
    all += weight;
    if (among.has(stem)) found += weight;
  }
  return all === 0 ? 0 : found / all;
}
