import { type Principal, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../infrastructure/database';
import {
  type AnswerEnd,
  ConversationMessageEntity,
  type Message,
  type QuestionContent,
} from './conversation-message.entity';

/** An answer whose run has ended, or is gone. */
export interface UnsettledAnswer {
  readonly id: string;
  readonly organizationId: string;
  readonly runId: string;
}

const ALL = `
  SELECT m.id, m.position, m.previous_id AS "previousId", m.role, m.text, m.parts,
         m.run_id AS "runId", m.status, m.error_code AS "errorCode", m.error_detail AS "errorDetail", m.sources,
         m.notice, m.created_at AS "createdAt",
         CASE WHEN r.rating IS NULL THEN NULL
              ELSE json_build_object('value', r.rating, 'reason', r.rating_reason) END AS rating
  FROM conversation_messages m LEFT JOIN runs r ON r.id = m.run_id
  WHERE m.organization_id = $1 AND m.user_id = $2 AND m.conversation_id = $3 ORDER BY m.position`;

const LAST = `
  SELECT id, position, status FROM conversation_messages
  WHERE organization_id = $1 AND user_id = $2 AND conversation_id = $3 ORDER BY position DESC LIMIT 1`;

const SETTLE = `
  UPDATE conversation_messages
  SET status = $3, text = $4, error_code = $5, error_detail = $6, sources = $7::jsonb, notice = $8::jsonb
  WHERE organization_id = $1 AND id = $2 AND status = 'running'`;

const UNSETTLED = `
  SELECT m.id, m.organization_id AS "organizationId", m.run_id AS "runId"
  FROM conversation_messages m LEFT JOIN runs r ON r.id = m.run_id
  WHERE m.status = 'running' AND (r.id IS NULL OR r.status NOT IN ('queued', 'running'))
    AND ($1::uuid IS NULL OR m.id > $1)
  ORDER BY m.id LIMIT $2`;

@Injectable()
export class MessageRepository {
  constructor(private readonly dataSource: DataSource) {}

  of(person: Principal, conversationId: string, tx?: Transaction): MessagesOf {
    return new MessagesOf(tx ?? this.dataSource.manager, person, conversationId);
  }

  /** Writes the end of a running answer. An answer that has ended stays as it is. */
  async settle(organizationId: string, id: string, end: AnswerEnd): Promise<void> {
    const { status, text, errorCode, errorDetail, sources, notice } = end;
    await this.dataSource.query(SETTLE, [
      organizationId,
      id,
      status,
      text,
      errorCode,
      errorDetail,
      JSON.stringify(sources),
      notice === null ? null : JSON.stringify(notice),
    ]);
  }

  /** Answers of all organizations whose run has ended, by id. */
  unsettled(after: string | null, limit: number): Promise<UnsettledAnswer[]> {
    return this.dataSource.query(UNSETTLED, [after, limit]);
  }
}

/** Position of a stored question, and the run that answers it. */
interface MessagePosition {
  readonly position: number;
  /** The message that it follows; null at the beginning. */
  readonly previousId: string | null;
  readonly runId: string;
}

/** The messages of one conversation. */
export class MessagesOf {
  private readonly where: readonly [organizationId: string, userId: string, conversationId: string];

  constructor(
    private readonly manager: Transaction,
    { organizationId, userId }: Principal,
    conversationId: string,
  ) {
    this.where = [organizationId, userId, conversationId];
  }

  all(): Promise<Message[]> {
    return this.manager.query(ALL, [...this.where]);
  }

  async last(): Promise<Pick<Message, 'id' | 'position' | 'status'> | null> {
    const [last] = await this.manager.query<Pick<Message, 'id' | 'position' | 'status'>[]>(LAST, [...this.where]);
    return last ?? null;
  }

  /** A question behind `previousId`, and its empty answer. */
  async insert({ text, parts }: QuestionContent, { position, previousId, runId }: MessagePosition): Promise<void> {
    const [organizationId, userId, conversationId] = this.where;
    const base = { organizationId, userId, conversationId };
    const [question, answer] = [uuidv7(), uuidv7()];
    const asked = { role: 'user', text, parts: parts as object[] | null, status: 'completed' } as const;
    const answering = { role: 'assistant', text: '', runId, status: 'running' } as const;
    await this.manager.getRepository(ConversationMessageEntity).insert([
      { ...base, id: question, position, previousId, ...asked },
      { ...base, id: answer, position: position + 1, previousId: question, ...answering },
    ]);
  }
}
