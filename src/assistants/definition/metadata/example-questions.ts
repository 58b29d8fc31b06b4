import type { JsonObject } from '../../../kernel';
import { member } from './parse-metadata';

export const MAX_EXAMPLE_QUESTIONS = 10;
export const MAX_EXAMPLE_QUESTION_CHARS = 200;

/** Questions that a tool is for. Empty or overlong entries of unchecked documents are left out. */
export function exampleQuestions(entry: JsonObject): readonly string[] {
  const given = member(entry, 'example_questions');
  if (!Array.isArray(given)) return [];
  return (given as unknown[])
    .flatMap((question) => (typeof question === 'string' ? [question.trim()] : []))
    .filter((question) => question !== '' && question.length <= MAX_EXAMPLE_QUESTION_CHARS)
    .slice(0, MAX_EXAMPLE_QUESTIONS);
}
