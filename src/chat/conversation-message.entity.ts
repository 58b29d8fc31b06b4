import type { ContentPart, SearchNotice, Source } from '@bellwether/kernel';
import { Check, Column, Entity, Index, Unique } from 'typeorm';
import { DatedEntity } from '../infrastructure/database';
import type { RunRating } from '../runs';

export const MESSAGE_STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

@Entity('conversation_messages')
@Check('conversation_messages_role_ck', `"role" IN ('user', 'assistant')`)
@Check('conversation_messages_status_ck', `"status" IN ('running', 'completed', 'failed', 'cancelled')`)
@Unique('conversation_messages_position_uq', ['conversationId', 'position'])
@Index('conversation_messages_user_idx', ['organizationId', 'userId'])
@Index('conversation_messages_running_idx', ['createdAt'], { where: `status = 'running'` })
export class ConversationMessageEntity extends DatedEntity {
  @Column('uuid', { name: 'conversation_id' })
  conversationId!: string;

  /** The person of the conversation, so that a search reads no other person's rows. */
  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** Order of all branches by time, from 1. */
  @Column('integer')
  position!: number;

  /** The message before it; null for a first question. Several questions may follow one message: versions. */
  @Column('uuid', { name: 'previous_id', nullable: true })
  previousId!: string | null;

  @Column('text')
  role!: 'user' | 'assistant';

  /** Text of the message without pictures. Empty while the answer is running. */
  @Column('text')
  text!: string;

  /** The parts of a question with pictures; null for text. */
  @Column('jsonb', { nullable: true })
  parts!: readonly ContentPart[] | null;

  /** The run that answers; null for questions. */
  @Column('uuid', { name: 'run_id', nullable: true })
  runId!: string | null;

  @Column('text')
  status!: MessageStatus;

  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: string | null;

  @Column('text', { name: 'error_detail', nullable: true })
  errorDetail!: string | null;

  @Column('jsonb', { default: [] })
  sources!: readonly Source[];

  @Column('jsonb', { nullable: true })
  notice!: SearchNotice | null;
}

/** A message with the asker's rating of its run. */
export interface Message extends Readonly<
  Omit<ConversationMessageEntity, 'organizationId' | 'conversationId' | 'userId'>
> {
  readonly rating: RunRating | null;
}

/** A question as it is stored and sent. */
export type QuestionContent = Pick<Message, 'text' | 'parts'>;

/** How an answer ended. */
export interface AnswerEnd extends Pick<Message, 'text' | 'errorCode' | 'errorDetail' | 'sources' | 'notice'> {
  readonly status: Exclude<MessageStatus, 'running'>;
}
