import { profileOf, timesIn, type ToolProfile } from './tool-profile';
import type { ToolText } from './tool-text.types';
import { type Term, termsOf } from './words';

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
