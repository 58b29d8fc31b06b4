import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { batches, type Transaction } from '../../src/infrastructure/database';
import type { ItemKind } from './report-builder';
import { OriginEntity } from './origin.entity';

const BATCH = 500;

/** Items of a LAMB database, and of a knowledge-base server. */
export type OriginKind = ItemKind | 'knowledge_base' | 'kb_document' | 'kb_source';

export type Origin = Pick<OriginEntity, 'originId' | 'localId' | 'importedSha256' | 'localSha256'>;

@Injectable()
export class OriginRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The organization here that one of the source became. */
  async organization(source: string, originId: string, tx?: Transaction): Promise<OriginEntity | null> {
    const origins = (tx ?? this.dataSource.manager).getRepository(OriginEntity);
    return origins.findOneBy({ source, kind: 'organization', originId });
  }

  /** Links of one item of the source in every organization. */
  named(source: string, kind: OriginKind, originId: string): Promise<OriginEntity[]> {
    return this.dataSource.getRepository(OriginEntity).findBy({ source, kind, originId });
  }

  /** Everything that earlier imports brought into one organization. */
  async all(organizationId: string, source: string): Promise<Origins> {
    return new Origins(await this.dataSource.getRepository(OriginEntity).findBy({ organizationId, source }));
  }

  async save(
    organizationId: string,
    source: string,
    kind: OriginKind,
    links: readonly Origin[],
    tx: Transaction,
  ): Promise<void> {
    const importedAt = new Date();
    for (const batch of batches(links, BATCH)) {
      await tx
        .getRepository(OriginEntity)
        .createQueryBuilder()
        .insert()
        .values(batch.map((link) => ({ ...link, organizationId, source, kind, importedAt })))
        .orUpdate(
          ['local_id', 'imported_sha256', 'local_sha256', 'imported_at'],
          ['organization_id', 'source', 'kind', 'origin_id'],
        )
        .execute();
    }
  }
}

/** Links of one organization, by kind and origin. */
export class Origins {
  private readonly rows: ReadonlyMap<string, OriginEntity>;

  constructor(rows: readonly OriginEntity[]) {
    this.rows = new Map(rows.map((row) => [`${row.kind} ${row.originId}`, row]));
  }

  find(kind: OriginKind, originId: string): OriginEntity | null {
    return this.rows.get(`${kind} ${originId}`) ?? null;
  }

  of(kind: ItemKind): readonly OriginEntity[] {
    return [...this.rows.values()].filter((row) => row.kind === kind);
  }
}
