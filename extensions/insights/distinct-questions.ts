import { QuestionCount } from './mask-people';
import type { AskedQuestion, Finding } from './asked-questions.repository';

/** Questions of the same words, whoever asked them. */
export interface DistinctQuestion {
  /** The newest wording. */
  readonly text: string;
  /** Words in lower case without accents and signs. */
  readonly words: readonly string[];
  readonly asked: QuestionCount;
  readonly missed: QuestionCount;
  readonly up: QuestionCount;
  readonly down: QuestionCount;
  /** Result of the newest search for the question; null without a search. */
  readonly found: Finding | null;
}

/** A question without people, and the words of it. */
export interface MaskedQuestion {
  readonly asked: AskedQuestion;
  readonly text: string;
  readonly words: readonly string[];
}

type Growing = { -readonly [Key in keyof DistinctQuestion]: DistinctQuestion[Key] };

/** Joins equal questions, given newest first. The most frequent come first, then the newest. */
export function distinctQuestions(questions: readonly MaskedQuestion[]): DistinctQuestion[] {
  const found = new Map<string, Growing>();
  for (const { asked, text, words } of questions) {
    if (words.length === 0) continue;
    const key = words.join(' ');
    const same = found.get(key) ?? newOne(text, words);
    found.set(key, same);
    count(same, asked);
  }
  // Stable: equally frequent questions keep their order.
  return [...found.values()].sort((one, other) => other.asked.questions - one.asked.questions);
}

const newOne = (text: string, words: readonly string[]): Growing => ({
  text: text.trim(),
  words,
  asked: new QuestionCount(),
  missed: new QuestionCount(),
  up: new QuestionCount(),
  down: new QuestionCount(),
  found: null,
});

function count(question: Growing, { userId, finding, rating }: AskedQuestion): void {
  question.asked.add(userId);
  question.found ??= finding;
  if (finding === 'nothing' || finding === 'weak') question.missed.add(userId);
  if (rating !== null) question[rating.value].add(userId);
}
