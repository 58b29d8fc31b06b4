import type { ContentPart, SearchNotice, Source } from '@bellwether/kernel';
import type { RunRating } from '../runs';

export const MESSAGE_STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export interface Conversation {
  readonly id: string;
  readonly assistantId: number;
  readonly assistantName: string;
  /** The activity of a course in which it was begun; null outside of courses. */
  readonly activityId: string | null;
  /** Empty before the first question. */
  readonly title: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Number of messages, all branches together. */
  readonly messagesCount: number;
  /** Last message of the branch that is shown; null for the newest message. */
  readonly lastMessageId: string | null;
}

export interface Message {
  readonly id: string;
  readonly position: number;
  /** The message before it; null for a first question. */
  readonly previousId: string | null;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** The parts of a question with pictures; null for text. */
  readonly parts: readonly ContentPart[] | null;
  /** The run that answers; null for questions. */
  readonly runId: string | null;
  readonly status: MessageStatus;
  readonly errorCode: string | null;
  readonly errorDetail: string | null;
  readonly sources: readonly Source[];
  /** The notice about the searches of an answer; null for none. */
  readonly notice: SearchNotice | null;
  readonly rating: RunRating | null;
  readonly createdAt: Date;
}

/** A question as it is stored and sent. */
export interface QuestionContent {
  readonly text: string;
  readonly parts: readonly ContentPart[] | null;
}

/** How an answer ended. */
export interface AnswerEnd extends Pick<Message, 'text' | 'errorCode' | 'errorDetail' | 'sources' | 'notice'> {
  readonly status: Exclude<MessageStatus, 'running'>;
}
