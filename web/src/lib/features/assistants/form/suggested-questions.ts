import type { Metadata } from '$lib/app/catalogues/assistant';

export const MOST_QUESTIONS = 6;
export const MOST_CHARS = 200;

/** One question a line. */
export const questionsOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const suggestedText = ({ suggested_questions: stored }: Metadata): string =>
  Array.isArray(stored) ? stored.filter((question) => typeof question === 'string').join('\n') : '';

/** The member to store; documents that never had one, and need none, stay as they are. */
export function suggestedMember(text: string, base: Metadata): Pick<Metadata, 'suggested_questions'> {
  const questions = questionsOf(text);
  return questions.length === 0 && base.suggested_questions === undefined ? {} : { suggested_questions: questions };
}
