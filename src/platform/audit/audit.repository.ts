import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import { decodeCursor, encodeCursor, invalid, isUuid, type Page, type PageRequest } from '../../kernel';
import type { Transaction } from '../database';
import { AuditEntryEntity } from './audit-entry.entity';

@Injectable()
export class AuditRepository {
  constructor(private readonly dataSource: DataSource) {}

  async append(entries: readonly Omit<AuditEntryEntity, 'at'>[], tx?: Transaction): Promise<void> {
    if (entries.length === 0) return;
    const rows = (tx ?? this.dataSource.manager).getRepository(AuditEntryEntity);
    await rows
      .createQueryBuilder()
      .insert()
      .values(entries as object[])
      .execute();
  }

  /** Newest first. */
  async list(organizationId: string, { limit, cursor }: PageRequest): Promise<Page<AuditEntryEntity>> {
    const rows = this.dataSource.getRepository(AuditEntryEntity);
    const older = cursor === null ? {} : { id: LessThan(idOf(cursor)) };
    const [found, total] = await Promise.all([
      rows.find({ where: { organizationId, ...older }, order: { id: 'DESC' }, take: limit + 1 }),
      rows.countBy({ organizationId }),
    ]);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return { items, total, next_cursor: found.length > limit && last ? encodeCursor([last.id]) : null };
  }
}

function idOf(cursor: string): string {
  const [id] = decodeCursor(cursor, 1) ?? [];
  if (typeof id !== 'string' || !isUuid(id))
    throw invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
  return id;
}
