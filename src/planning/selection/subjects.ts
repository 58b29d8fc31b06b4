import { STUDY_AND_LIFE } from './subjects-of-study-and-life';
import { TOOL_SUBJECTS } from './subjects-of-tools';
import { stem, type Term, wordsOf } from './words';

/** Weight by subject. */
export type SubjectWeights = ReadonlyMap<number, number>;

/** Subjects that a stem belongs to, and how closely: the more words a subject has, the less one of them says. */
const BY_STEM = new Map<string, { readonly subject: number; readonly closeness: number }[]>();

for (const [subject, words] of `${STUDY_AND_LIFE};${TOOL_SUBJECTS}`.split(';').entries()) {
  const stems = new Set(wordsOf(words).map(stem));
  const closeness = 1 / Math.log2(2 + stems.size);
  for (const word of stems) BY_STEM.set(word, [...(BY_STEM.get(word) ?? []), { subject, closeness }]);
}

/** Subjects of a text. A word of many subjects counts little for each. */
export function subjectsOf(terms: readonly Pick<Term, 'stem' | 'weight'>[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const { stem: word, weight } of terms) {
    const subjects = BY_STEM.get(word) ?? [];
    for (const { subject, closeness } of subjects) {
      found.set(subject, (found.get(subject) ?? 0) + (weight * closeness) / Math.sqrt(subjects.length));
    }
  }
  return found;
}

/** 0..1 */
export function likeness(a: SubjectWeights, b: SubjectWeights): number {
  let dot = 0;
  for (const [subject, weight] of a) dot += weight * (b.get(subject) ?? 0);
  return dot === 0 ? 0 : dot / (lengthOf(a) * lengthOf(b));
}

export const lengthOf = (subjects: SubjectWeights): number => Math.hypot(...subjects.values());
