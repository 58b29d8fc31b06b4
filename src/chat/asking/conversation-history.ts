import type { ChatMessage, ContentPart } from '../../kernel';
import type { Message } from '../conversation.types';

export interface HistoryLimits {
  /** Earlier questions with their answers. */
  readonly exchanges: number;
  /** Characters of their texts. */
  readonly chars: number;
  /** Characters of their pictures. */
  readonly pictureChars: number;
}

const LIMITS: HistoryLimits = { exchanges: 20, chars: 60_000, pictureChars: 1_500_000 };

type Said = Pick<Message, 'role' | 'text' | 'parts' | 'status'>;

interface Exchange {
  readonly question: Said;
  readonly answer: Said;
}

/**
 * The newest exchanges within the limits, oldest first, as messages for the model. Questions without an answer are left
 * out: some vendors accept no two questions in a row. Pictures over the limit are left out of their questions.
 */
export function historyOf(messages: readonly Said[], limits = LIMITS): ChatMessage[] {
  const newestFirst = exchangesIn(messages).reverse().slice(0, limits.exchanges);
  let { chars, pictureChars } = limits;
  const kept: ChatMessage[] = [];
  for (const { question, answer } of newestFirst) {
    chars -= question.text.length + answer.text.length;
    if (chars < 0) break;
    pictureChars -= picturesIn(question.parts);
    const content = question.parts !== null && pictureChars >= 0 ? question.parts : question.text;
    kept.push({ role: 'assistant', content: answer.text }, { role: 'user', content });
  }
  return kept.reverse();
}

/** Characters of all parts that are not text. */
export const picturesIn = (parts: readonly ContentPart[] | null): number =>
  parts === null ? 0 : parts.reduce((sum, part) => sum + (part.type === 'text' ? 0 : JSON.stringify(part).length), 0);

function exchangesIn(messages: readonly Said[]): Exchange[] {
  const found: Exchange[] = [];
  for (const [index, question] of messages.entries()) {
    const answer = messages[index + 1];
    if (question.role === 'user' && answer !== undefined && isAnswer(answer)) found.push({ question, answer });
  }
  return found;
}

const isAnswer = ({ role, status, text }: Said): boolean =>
  role === 'assistant' && (status === 'completed' || status === 'cancelled') && text.trim() !== '';
