import type { JsonObject } from '../../../kernel';
import { member } from './parse-metadata';

export const MAX_SUGGESTED_QUESTIONS = 6;
export const MAX_SUGGESTED_QUESTION_CHARS = 200;

/** First questions that the chat offers. Empty or overlong entries of unchecked documents are left out. */
export function suggestedQuestions(metadata: JsonObject): readonly string[] {
  const given = member(metadata, 'suggested_questions');
  if (!Array.isArray(given)) return [];
  return (given as unknown[])
    .flatMap((question) => (typeof question === 'string' ? [question.trim()] : []))
    .filter((question) => question !== '' && question.length <= MAX_SUGGESTED_QUESTION_CHARS)
    .slice(0, MAX_SUGGESTED_QUESTIONS);
}
