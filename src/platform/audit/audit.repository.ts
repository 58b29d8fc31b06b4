import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import { type Page, pageOf, type PageRequest, uuidCursor } from '../../kernel';
import type { Transaction } from '../database';
import { AuditEntryEntity } from './audit-entry.entity';

/** One parameter for any number of entries: a migration writes thousands. */
const APPEND = `
  INSERT INTO audit_entries (id, organization_id, actor_kind, actor_user_id, actor_credential_id, action, target_type,
                             target_id, before, after, request_id, ip)
  SELECT id, "organizationId", "actorKind", "actorUserId", "actorCredentialId", action, "targetType", "targetId", before,
         after, "requestId", ip
  FROM json_to_recordset($1::json) AS entry (
    id uuid, "organizationId" uuid, "actorKind" text, "actorUserId" uuid, "actorCredentialId" text, action text,
    "targetType" text, "targetId" text, before jsonb, after jsonb, "requestId" text, ip text)`;

@Injectable()
export class AuditRepository {
  constructor(private readonly dataSource: DataSource) {}

  async append(entries: readonly Omit<AuditEntryEntity, 'at'>[], tx?: Transaction): Promise<void> {
    if (entries.length === 0) return;
    await (tx ?? this.dataSource.manager).query(APPEND, [JSON.stringify(entries)]);
  }

  async list(organizationId: string, { limit, cursor }: PageRequest): Promise<Page<AuditEntryEntity>> {
    const rows = this.dataSource.getRepository(AuditEntryEntity);
    const before = uuidCursor(cursor);
    const older = before === null ? {} : { id: LessThan(before) };
    const [found, total] = await Promise.all([
      rows.find({ where: { organizationId, ...older }, order: { id: 'DESC' }, take: limit + 1 }),
      rows.countBy({ organizationId }),
    ]);
    return { ...pageOf(found, limit, ({ id }) => id), total };
  }
}
