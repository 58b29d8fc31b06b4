import {
  type Page,
  type PageRequest,
  type Principal,
  decodeCursor,
  encodeCursor,
  invalid,
  isUuid,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../infrastructure/database';
import { type Conversation, ConversationEntity } from './conversation.entity';

interface Placed {
  readonly id: string;
  /** `updated_at` with all its digits. */
  readonly stamp: string;
}

/** Cursor of the next page; null after nothing. */
export const positionAfter = (last: Placed | undefined): string | null =>
  last === undefined ? null : encodeCursor([last.stamp, last.id]);

/** @throws AppError `validation_failed` for anything that is not a cursor of such a list */
export function positionOf(cursor: string | null): readonly [stamp: string | null, id: string | null] {
  if (cursor === null) return [null, null];
  const [stamp, id] = decodeCursor(cursor, 2) ?? [];
  const isStamp = typeof stamp === 'string' && /^\d{4}-\d\d-\d\d[ T][\d:.+-]{8,30}$/.test(stamp);
  if (isStamp && !Number.isNaN(Date.parse(stamp)) && typeof id === 'string' && isUuid(id)) return [stamp, id];
  throw invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
}

export interface ConversationFilter {
  readonly assistantId: number | null;
  /** The assistants that the credential is bound to; null for all. */
  readonly onlyAssistants: readonly number[] | null;
  /** The activity of a course; null for all. */
  readonly activityId: string | null;
  /** The activities that the credential is bound to; null for all. */
  readonly onlyActivities: readonly string[] | null;
  /** Part of the title or of a message; null for all. */
  readonly text: string | null;
}

type ConversationReach = Omit<ConversationFilter, 'text'>;

interface Row extends Conversation {
  /** `updated_at` with all its digits. */
  readonly stamp: string;
}

/** Conversations outside of courses are within the reach of every launch of their assistant. */
const REACHED = `
  c.organization_id = $1 AND c.user_id = $2
  AND ($3::int IS NULL OR c.assistant_id = $3) AND ($4::int[] IS NULL OR c.assistant_id = ANY($4))
  AND ($5::uuid IS NULL OR c.activity_id = $5)
  AND ($6::uuid[] IS NULL OR c.activity_id IS NULL OR c.activity_id = ANY($6))`;

const MATCHING = `${REACHED}
  AND ($7::text IS NULL OR c.title ILIKE $7 OR c.id IN (
    SELECT m.conversation_id FROM conversation_messages m
    WHERE m.organization_id = $1 AND m.user_id = $2 AND m.text ILIKE $7))`;

const COLUMNS = `
  c.id, c.assistant_id AS "assistantId", c.assistant_name AS "assistantName", c.activity_id AS "activityId", c.title,
  c.created_at AS "createdAt", c.updated_at AS "updatedAt", c.updated_at::text AS stamp,
  c.last_message_id AS "lastMessageId",
  (SELECT count(*)::int FROM conversation_messages m WHERE m.conversation_id = c.id) AS "messagesCount"`;

const PAGE = `
  SELECT ${COLUMNS} FROM conversations c
  WHERE ${MATCHING} AND ($8::timestamptz IS NULL OR (c.updated_at, c.id) < ($8::timestamptz, $9::uuid))
  ORDER BY c.updated_at DESC, c.id DESC LIMIT $10`;

const COUNT = `SELECT count(*)::int AS total FROM conversations c WHERE ${MATCHING}`;

const FIND = `SELECT ${COLUMNS} FROM conversations c WHERE c.organization_id = $1 AND c.user_id = $2 AND c.id = $3`;

const RENAME = `
  WITH renamed AS (
    UPDATE conversations SET title = $4, updated_at = now() WHERE organization_id = $1 AND user_id = $2 AND id = $3
    RETURNING id
  )
  SELECT id FROM renamed`;

/** The joined messages are those of the snapshot: they go with their conversation after the statement. */
const REMOVE = `
  WITH gone AS (
    DELETE FROM conversations c WHERE ${REACHED} AND ($7::uuid IS NULL OR c.id = $7) RETURNING id
  )
  SELECT gone.id, m.run_id AS "runId" FROM gone
  LEFT JOIN conversation_messages m
    ON m.conversation_id = gone.id AND m.organization_id = $1 AND m.user_id = $2 AND m.status = 'running'`;

const SHOW = `
  WITH shown AS (
    UPDATE conversations SET last_message_id = $4 WHERE organization_id = $1 AND user_id = $2 AND id = $3
    RETURNING id
  )
  SELECT id FROM shown`;

/** Waits for a concurrent question. The caller holds the lock until its transaction ends. */
const ASKED = `
  WITH asked AS (
    UPDATE conversations
    SET title = CASE title WHEN '' THEN $4 ELSE title END, assistant_name = $5, updated_at = now(), last_message_id = NULL
    WHERE organization_id = $1 AND user_id = $2 AND id = $3 RETURNING id
  )
  SELECT id FROM asked`;

const likely = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

@Injectable()
export class ConversationRepository {
  constructor(private readonly dataSource: DataSource) {}

  of(person: Principal, tx?: Transaction): ConversationsOf {
    return new ConversationsOf(tx ?? this.dataSource.manager, person);
  }
}

/** The conversations of one person. No other person's row is ever read. */
export class ConversationsOf {
  private readonly owner: readonly [organizationId: string, userId: string];

  constructor(
    private readonly manager: Transaction,
    { organizationId, userId }: Principal,
  ) {
    this.owner = [organizationId, userId];
  }

  /** The last changed first. */
  async page(filter: ConversationFilter, { limit, cursor }: PageRequest): Promise<Page<Conversation>> {
    const { text } = filter;
    const matching = [...this.owner, ...reachOf(filter), text === null ? null : likely(text)];
    const [stamp, id] = positionOf(cursor);
    const found = await this.manager.query<Row[]>(PAGE, [...matching, stamp, id, limit + 1]);
    const [{ total }] = await this.manager.query<[{ total: number }]>(COUNT, matching);
    const items = found.slice(0, limit);
    return {
      items,
      next_cursor: found.length > limit ? positionAfter(items.at(-1)) : null,
      total,
    };
  }

  async find(id: string): Promise<Conversation | null> {
    const [row] = isUuid(id) ? await this.manager.query<Row[]>(FIND, [...this.owner, id]) : [];
    return row ?? null;
  }

  async insert(
    values: Pick<Conversation, 'id' | 'assistantId' | 'assistantName' | 'activityId' | 'title'>,
  ): Promise<void> {
    const [organizationId, userId] = this.owner;
    await this.manager.getRepository(ConversationEntity).insert({ ...values, organizationId, userId });
  }

  /** False without such a conversation. */
  async rename(id: string, title: string): Promise<boolean> {
    return (await this.manager.query<object[]>(RENAME, [...this.owner, id, title])).length > 0;
  }

  /** Shows the branch that ends at this message. False without such a conversation. */
  async show(id: string, lastMessageId: string): Promise<boolean> {
    return (await this.manager.query<object[]>(SHOW, [...this.owner, id, lastMessageId])).length > 0;
  }

  /** Takes the row lock, for one question at a time; the newest branch is shown. False without such a conversation. */
  async asked(id: string, title: string, assistantName: string): Promise<boolean> {
    return (await this.manager.query<object[]>(ASKED, [...this.owner, id, title, assistantName])).length > 0;
  }

  /** The runs of its answers that are not finished; null without such a conversation. */
  async remove(id: string): Promise<readonly string[] | null> {
    const gone = await this.manager.query<RemovedRow[]>(REMOVE, [...this.owner, null, null, null, null, id]);
    return gone.length === 0 ? null : runIdsOf(gone);
  }

  /** The runs of answers that are not finished. */
  async removeAll(filter: ConversationReach): Promise<readonly string[]> {
    return runIdsOf(await this.manager.query<RemovedRow[]>(REMOVE, [...this.owner, ...reachOf(filter), null]));
  }
}

const reachOf = ({ assistantId, onlyAssistants, activityId, onlyActivities }: ConversationReach): unknown[] => [
  assistantId,
  onlyAssistants,
  activityId,
  onlyActivities,
];

interface RemovedRow {
  readonly id: string;
  readonly runId: string | null;
}

const runIdsOf = (rows: readonly RemovedRow[]): string[] => rows.flatMap(({ runId }) => runId ?? []);
