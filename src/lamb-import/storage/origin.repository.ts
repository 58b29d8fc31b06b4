import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../platform/database';
import type { ArrivalKind } from '../import.types';
import { OriginEntity } from './origin.entity';

const BATCH = 500;

export type Origin = Pick<OriginEntity, 'originId' | 'localId' | 'importedSha256' | 'localSha256'>;

@Injectable()
export class OriginRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Which of our organizations it became. */
  async organization(source: string, originId: string, tx?: Transaction): Promise<OriginEntity | null> {
    const origins = (tx ?? this.dataSource.manager).getRepository(OriginEntity);
    return origins.findOneBy({ source, kind: 'organization', originId });
  }

  /** Everything that came with one organization. */
  async book(organizationId: string, source: string, tx?: Transaction): Promise<OriginBook> {
    const origins = (tx ?? this.dataSource.manager).getRepository(OriginEntity);
    return new OriginBook(await origins.findBy({ organizationId, source }));
  }

  async save(
    organizationId: string,
    source: string,
    kind: ArrivalKind,
    rows: readonly Origin[],
    tx: Transaction,
  ): Promise<void> {
    for (let start = 0; start < rows.length; start += BATCH) {
      const importedAt = new Date();
      const batch = rows
        .slice(start, start + BATCH)
        .map((row) => ({ ...row, organizationId, source, kind, importedAt }));
      await tx
        .getRepository(OriginEntity)
        .createQueryBuilder()
        .insert()
        .values(batch)
        .orUpdate(
          ['local_id', 'imported_sha256', 'local_sha256', 'imported_at'],
          ['organization_id', 'source', 'kind', 'origin_id'],
        )
        .execute();
    }
  }
}

/** What is known of one organization's things. */
export class OriginBook {
  private readonly rows: ReadonlyMap<string, OriginEntity>;

  constructor(rows: readonly OriginEntity[]) {
    this.rows = new Map(rows.map((row) => [`${row.kind} ${row.originId}`, row]));
  }

  find(kind: ArrivalKind, originId: string): OriginEntity | null {
    return this.rows.get(`${kind} ${originId}`) ?? null;
  }

  of(kind: ArrivalKind): readonly OriginEntity[] {
    return [...this.rows.values()].filter((row) => row.kind === kind);
  }
}
