import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { type Page, pageOf, type PageRequest, uuidCursor } from '../../../kernel';
import type { Transaction } from '../../database';
import { AuditEntryEntity } from './audit-entry.entity';
import { type AuditFilter, conditionsOf } from './audit-filter';
import type { EntryContent } from './entry-hash';

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
