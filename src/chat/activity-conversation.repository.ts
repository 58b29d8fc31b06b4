import type { Page, PageRequest } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Message } from './conversation-message.entity';
import { positionOf, positionAfter } from './conversation.repository';

/** A person of an activity, and the time from which on others may read what the person asks. */
export interface ReadablePerson {
  readonly userId: string;
  readonly since: Date;
}

export interface ActivityConversation {
  readonly id: string;
  readonly userId: string;
  readonly assistantId: number;
  readonly assistantName: string;
  /** Empty where it may tell of an earlier question. */
  readonly title: string;
  readonly updatedAt: Date;
  /** Readable questions. */
  readonly questions: number;
}

interface Row extends ActivityConversation {
  readonly stamp: string;
}

/** Conversations with a question that may be read. A deleted message of a question that was asked again is not there. */
const READABLE = `
  SELECT c.id, c.user_id AS "userId", c.assistant_id AS "assistantId", c.assistant_name AS "assistantName", CASE WHEN c.created_at >= person.since THEN c.title ELSE '' END AS title,
         c.updated_at AS "updatedAt", c.updated_at::text AS stamp, readable.questions
  FROM conversations c
  JOIN unnest($3::uuid[], $4::timestamptz[]) AS person (user_id, since) ON person.user_id = c.user_id
  JOIN LATERAL (
    SELECT count(*)::int AS questions FROM conversation_messages m
    WHERE m.conversation_id = c.id AND m.role = 'user' AND m.created_at >= person.since
  ) readable ON readable.questions > 0
  WHERE c.organization_id = $1 AND c.activity_id = $2`;

const PAGE = `
  SELECT * FROM (${READABLE}) found
  WHERE $5::timestamptz IS NULL OR (stamp::timestamptz, id) < ($5::timestamptz, $6::uuid)
  ORDER BY stamp::timestamptz DESC, id DESC LIMIT $7`;

const COUNT = `SELECT count(*)::int AS total FROM (${READABLE}) found`;

const FIND = `SELECT * FROM (${READABLE}) found WHERE id = $5`;

/** Messages of all branches as they were written, without ratings, which are the asker's. */
const MESSAGES = `
  SELECT id, position, previous_id AS "previousId", role, text, parts, run_id AS "runId", status, error_code AS "errorCode", NULL AS "errorDetail",
         sources, created_at AS "createdAt", NULL AS rating
  FROM conversation_messages
  WHERE organization_id = $1 AND conversation_id = $2 AND created_at >= $3 ORDER BY position`;

/** Conversations of other people, for those who teach the course of their activity. */
@Injectable()
export class ActivityConversationRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The last changed first. */
  async page(
    organizationId: string,
    activityId: string,
    people: readonly ReadablePerson[],
    { limit, cursor }: PageRequest,
  ): Promise<Page<ActivityConversation>> {
    const [stamp, id] = positionOf(cursor);
    const shared = [organizationId, activityId, ...columnsOf(people)];
    const found = await this.dataSource.query<Row[]>(PAGE, [...shared, stamp, id, limit + 1]);
    const items = found.slice(0, limit);
    const next_cursor = found.length > limit ? positionAfter(items.at(-1)) : null;
    const [{ total }] = await this.dataSource.query<[{ total: number }]>(COUNT, shared);
    return { items, next_cursor, total };
  }

  async find(
    organizationId: string,
    activityId: string,
    people: readonly ReadablePerson[],
    id: string,
  ): Promise<ActivityConversation | null> {
    const [row] = await this.dataSource.query<Row[]>(FIND, [organizationId, activityId, ...columnsOf(people), id]);
    return row ?? null;
  }

  messages(organizationId: string, conversationId: string, since: Date): Promise<Message[]> {
    return this.dataSource.query(MESSAGES, [organizationId, conversationId, since]);
  }
}

const columnsOf = (people: readonly ReadablePerson[]): [string[], string[]] => [
  people.map(({ userId }) => userId),
  people.map(({ since }) => since.toISOString()),
];
