import { type Page, type PageRequest, pageOf, uuidCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import type { Transaction } from '../database';
import { AuditEntryEntity } from './audit-entry.entity';
import type { EntryContent } from './entry-hash';

/** Entries must fit every member that is set. */
export interface AuditFilter {
  /** Id of a person, of a key or of a session; `system` for the service itself. */
  readonly actor?: string;
  /** An action; `member.*` for all that begin with `member.`. */
  readonly action?: string;
  readonly targetType?: string;
  readonly targetId?: string;
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly requestId?: string;
  readonly ip?: string;
  /** Part of the action, the target or the values, whatever the case. */
  readonly text?: string;
}

/** Over the alias `entry`. */
type FilterCondition = readonly [sql: string, values: Record<string, unknown>];

const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

const PLAIN = {
  targetType: 'entry.targetType = :targetType',
  targetId: 'entry.targetId = :targetId',
  from: 'entry.at >= :from',
  to: 'entry.at < :to',
  requestId: 'entry.requestId = :requestId',
  ip: 'entry.ip = :ip',
} as const;

const TEXTS = ['action', 'targetId', 'before', 'after']
  .map((column) => `CAST(entry.${column} AS text) ILIKE :text`)
  .join(' OR ');

function actorCondition(actor: string): FilterCondition {
  if (actor === 'system') return [`entry.actorKind = 'system'`, {}];
  return ['(CAST(entry.actorUserId AS text) = lower(:actor) OR entry.actorCredentialId = :actor)', { actor }];
}

function actionCondition(action: string): FilterCondition {
  if (!action.endsWith('*')) return ['entry.action = :action', { action }];
  return ['entry.action LIKE :actions', { actions: `${likeLiteral(action.slice(0, -1))}%` }];
}

function conditionsOf(filter: AuditFilter): readonly FilterCondition[] {
  const { actor, action, text } = filter;
  const conditions = Object.entries(PLAIN)
    .map(([name, sql]): FilterCondition => [sql, { [name]: filter[name as keyof typeof PLAIN] }])
    .filter(([, values]) => Object.values(values).every((value) => value !== undefined));
  if (actor !== undefined) conditions.push(actorCondition(actor));
  if (action !== undefined) conditions.push(actionCondition(action));
  if (text !== undefined) conditions.push([`(${TEXTS})`, { text: `%${likeLiteral(text)}%` }]);
  return conditions;
}

/** One parameter for any number of entries: a migration writes thousands. */
const APPEND = `
  INSERT INTO audit_entries (id, organization_id, actor_kind, actor_user_id, actor_credential_id, action, target_type,
                             target_id, before, after, request_id, ip, at, written_mac)
  SELECT id, "organizationId", "actorKind", "actorUserId", "actorCredentialId", action, "targetType", "targetId", before,
         after, "requestId", ip, at, "writtenMac"
  FROM json_to_recordset($1::json) AS entry (
    id uuid, "organizationId" uuid, "actorKind" text, "actorUserId" uuid, "actorCredentialId" text, action text,
    "targetType" text, "targetId" text, before jsonb, after jsonb, "requestId" text, ip text, at timestamptz,
    "writtenMac" text)`;

export type WrittenEntry = EntryContent & Pick<AuditEntryEntity, 'writtenMac'>;

@Injectable()
export class AuditRepository {
  constructor(private readonly dataSource: DataSource) {}

  async append(entries: readonly WrittenEntry[], tx?: Transaction): Promise<void> {
    if (entries.length === 0) return;
    await (tx ?? this.dataSource.manager).query(APPEND, [JSON.stringify(entries)]);
  }

  async list(
    organizationId: string,
    { limit, cursor }: PageRequest,
    filter: AuditFilter,
  ): Promise<Page<AuditEntryEntity>> {
    const before = uuidCursor(cursor);
    const page = this.select(organizationId, filter)
      .orderBy('entry.id', 'DESC')
      .limit(limit + 1);
    if (before !== null) page.andWhere('entry.id < :before', { before });
    const [found, total] = await Promise.all([page.getMany(), this.select(organizationId, filter).getCount()]);
    return { ...pageOf(found, limit, ({ id }) => id), total };
  }

  /** Oldest first. */
  after(organizationId: string, filter: AuditFilter, id: string | null, limit: number): Promise<AuditEntryEntity[]> {
    const batch = this.select(organizationId, filter).orderBy('entry.id', 'ASC').limit(limit);
    if (id !== null) batch.andWhere('entry.id > :id', { id });
    return batch.getMany();
  }

  private select(organizationId: string, filter: AuditFilter): SelectQueryBuilder<AuditEntryEntity> {
    const query = this.dataSource
      .getRepository(AuditEntryEntity)
      .createQueryBuilder('entry')
      .where('entry.organizationId = :organizationId', { organizationId });
    for (const [sql, values] of conditionsOf(filter)) query.andWhere(sql, values);
    return query;
  }
}
