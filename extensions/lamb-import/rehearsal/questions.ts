import { invalid, isJsonObject, type Problem } from '../../../src/kernel';
import type { RehearsedQuestion } from './rehearsal.types';

/** About the course in general, so that every assistant can be asked. */
export const NEUTRAL_QUESTIONS: readonly string[] = [
  'What can you help me with?',
  'What are the most important topics of this course?',
  'Explain one of them with an example.',
];

const MAX_QUESTION_CHARS = 20_000;
const MAX_PROBLEMS = 20;

function questionIn(line: string): RehearsedQuestion | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  if (!isJsonObject(parsed)) return 'is not a JSON object';
  const { assistant, question } = parsed;
  if (typeof assistant !== 'number' || !Number.isSafeInteger(assistant) || assistant < 1)
    return 'assistant must be the id of an assistant in LAMB';
  if (typeof question !== 'string' || question.trim() === '') return 'question must be a text that is not empty';
  if (question.length > MAX_QUESTION_CHARS) return `question must have at most ${MAX_QUESTION_CHARS} characters`;
  return { assistant, text: question.toWellFormed() };
}

/**
 * Reads JSON lines `{"assistant": 12, "question": "…"}`.
 * @throws {AppError} `validation_failed` with the lines that are wrong
 */
export function readQuestions(text: string): readonly RehearsedQuestion[] {
  const questions: RehearsedQuestion[] = [];
  const problems: Problem[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const read = questionIn(line);
    if (typeof read !== 'string') questions.push(read);
    else if (problems.length < MAX_PROBLEMS) problems.push({ path: `line ${index + 1}`, message: read });
  }
  if (problems.length > 0) throw invalid(problems, 'The file of questions cannot be read; nothing was asked');
  if (questions.length === 0) throw invalid([{ path: '--questions', message: 'holds no question' }]);
  return questions;
}
