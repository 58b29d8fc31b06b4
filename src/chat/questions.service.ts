import { AppError, type Caller, type ChatMessage, type ContentPart, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { BackgroundCompletions } from '../answering';
import { AssistantsService } from '../assistants';
import type { Transaction } from '../infrastructure/database';
import { AnswerModes, hidesAnswers } from './answer-modes.service';
import { ConversationReader, branchTo } from './conversation-reader.service';
import type { Message, QuestionContent } from './conversation-message.entity';
import { ConversationRepository } from './conversation.repository';
import { MessageRepository } from './message.repository';

interface HistoryLimits {
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
const picturesIn = (parts: readonly ContentPart[] | null): number =>
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

const MAX_TITLE = 80;

/** The first 80 characters of a question on one line, cut at a word. */
export function titleOf(question: string): string {
  const line = question.replace(/\s+/gu, ' ').trim();
  const characters = [...line];
  if (characters.length <= MAX_TITLE) return line;
  const start = characters.slice(0, MAX_TITLE).join('');
  const end = characters[MAX_TITLE] === ' ' ? start.length : start.lastIndexOf(' ');
  return `${(end > 0 ? start.slice(0, end) : start).trim()}…`;
}

const MAX_MESSAGES = 1_000;
/** Characters of all pictures of a conversation, which is always read as a whole. */
const MAX_PICTURE_CHARS = 8 * 1024 * 1024;

const ONLY_PROMPT = 'This assistant only shows its prompt, to the people who edit it. It has no model that answers';

export interface Asked {
  readonly question: Message;
  readonly answer: Message;
  /** The messages of all branches. */
  readonly all: readonly Message[];
}

interface Question {
  readonly caller: Caller;
  readonly conversationId: string;
  readonly content: QuestionContent;
  /** Id of the newest message that was read; null for none. */
  readonly newest: string | null;
  /** The message that the question follows; null at the beginning. */
  readonly previousId: string | null;
  readonly assistantName: string;
}

/** Asks questions in conversations. Background runs answer them. */
@Injectable()
export class Questions {
  constructor(
    private readonly reader: ConversationReader,
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly assistants: AssistantsService,
    private readonly background: BackgroundCompletions,
    private readonly modes: AnswerModes,
  ) {}

  /**
   * Stores the question, its empty answer and the run in one transaction. `replaces` names a question that is asked
   * again: it stays with all that follows, as another branch.
   * @throws AppError `not_found`, `forbidden`, `conversation_busy`, `conflict`, `payload_too_large`, and those of a completion
   */
  async ask(caller: Caller, conversationId: string, content: QuestionContent, replaces?: string): Promise<Asked> {
    const { conversation, messages, all } = await this.reader.read(caller, conversationId);
    const kept = replaces === undefined ? messages : before(all, replaces);
    assertSpace(all, content);
    const assistant = await this.assistants.runnable(caller, conversation.assistantId);
    if (hidesAnswers(await this.modes.of(assistant), assistant)) throw new AppError('forbidden', ONLY_PROMPT);
    const { name, document } = assistant;
    const asked = document.capabilities.vision ? kept : kept.map((message) => ({ ...message, parts: null }));
    const latest: ChatMessage = { role: 'user', content: content.parts ?? content.text };
    const question: Question = {
      caller,
      conversationId,
      content,
      newest: all.at(-1)?.id ?? null,
      previousId: kept.at(-1)?.id ?? null,
      assistantName: name,
    };
    const body = { messages: [...historyOf(asked), latest] };
    const run = await this.background.start(caller, conversation.assistantId, body, {
      activityId: conversation.activityId,
      also: (runId, tx) => this.store(question, runId, tx),
    });
    return this.asked(caller, conversationId, run.id);
  }

  /** The row lock of the conversation orders concurrent questions: the second one finds the answer of the first. */
  private async store(question: Question, runId: string, tx: Transaction): Promise<void> {
    const { caller, conversationId, content, newest, previousId, assistantName } = question;
    const title = titleOf(content.text);
    if (!(await this.conversations.of(caller, tx).asked(conversationId, title, assistantName)))
      throw notFound('Conversation');
    const messages = this.messages.of(caller, conversationId, tx);
    const last = await messages.last();
    if (last?.status === 'running')
      throw new AppError('conversation_busy', 'The last question is being answered. Wait for the answer, or stop it');
    if ((last?.id ?? null) !== newest)
      throw new AppError('conversation_busy', 'The conversation has changed in the meantime. Read it again');
    await messages.insert(content, { position: (last?.position ?? 0) + 1, previousId, runId });
  }

  private async asked(caller: Caller, conversationId: string, runId: string): Promise<Asked> {
    const all = await this.messages.of(caller, conversationId).all();
    const answer = all.find((message) => message.runId === runId);
    const question = all.find(({ id }) => id === answer?.previousId);
    // Somebody deleted the conversation right after the commit.
    if (question === undefined || answer === undefined) throw notFound('Conversation');
    return { question, answer, all };
  }
}

/** @throws AppError `not_found` */
function before(messages: readonly Message[], id: string): readonly Message[] {
  const question = messages.find((message) => message.id === id && message.role === 'user');
  if (question === undefined) throw notFound('Question');
  return branchTo(messages, question.previousId);
}

function assertSpace(messages: readonly Message[], { parts }: QuestionContent): void {
  if (messages.length >= MAX_MESSAGES)
    throw new AppError('conflict', `A conversation holds ${MAX_MESSAGES} messages at most. Begin a new one`, {
      reason: 'conversation.full',
      values: { limit: MAX_MESSAGES },
    });
  const pictures = messages.reduce((sum, message) => sum + picturesIn(message.parts), picturesIn(parts));
  if (parts !== null && pictures > MAX_PICTURE_CHARS)
    throw new AppError('payload_too_large', 'The pictures of this conversation take too much space. Begin a new one', {
      reason: 'conversation.pictures',
    });
}
