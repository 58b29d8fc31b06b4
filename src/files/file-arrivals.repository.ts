import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Transaction } from '../platform/database';
import { FileEntity } from './file.entity';

const BATCH = 200;

export type FileRow = Pick<FileEntity, 'id' | 'ownerId' | 'name' | 'contentType' | 'size' | 'sha256' | 'storageName'>;

/** Files of a whole organization, whoever owns them. */
@Injectable()
export class FileArrivalsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async ofOwners(organizationId: string, ownerIds: readonly string[], tx?: Transaction): Promise<FileEntity[]> {
    const files = (tx ?? this.dataSource.manager).getRepository(FileEntity);
    return ownerIds.length === 0 ? [] : files.findBy({ organizationId, ownerId: In([...ownerIds]) });
  }

  async insert(organizationId: string, rows: readonly FileRow[], tx: Transaction): Promise<void> {
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH).map((row) => ({ ...row, organizationId }));
      await tx.getRepository(FileEntity).insert(batch);
    }
  }

  /** False when somebody replaced or removed the bytes of `old` meanwhile. */
  async update(
    organizationId: string,
    { id, ...values }: Pick<FileRow, 'id' | 'contentType' | 'size' | 'sha256' | 'storageName'>,
    old: string,
    tx: Transaction,
  ): Promise<boolean> {
    const { affected } = await tx.getRepository(FileEntity).update({ organizationId, id, storageName: old }, values);
    return affected === 1;
  }
}
