import type { Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { Any, DataSource, type FindOptionsWhere, MoreThan } from 'typeorm';
import { TenantScope, type Transaction } from '../../infrastructure/database';
import type { BlobSpace } from '../places/blob-storage.types';
import { FileEntity } from './file.entity';

/** Larger than any upload or generated image, so that every stored file can be read. */
export const READ_MAX_BYTES = 24 * 1024 * 1024;

/** Folder of one user's files. */
export const spaceOf = (organizationId: string, userId: string): BlobSpace => ['files', organizationId, userId];

@Injectable()
export class FileRepository {
  constructor(private readonly dataSource: DataSource) {}

  ownedBy(owner: Principal, tx?: Transaction): OwnedFiles {
    return new OwnedFiles((tx ?? this.dataSource.manager).getRepository(FileEntity), owner);
  }

  /** Stored bytes of one owner, or of the organization. */
  async bytes(organizationId: string, ownerId: string | null, tx?: Transaction): Promise<number> {
    const rows = (tx ?? this.dataSource.manager).getRepository(FileEntity);
    return (await rows.sum('size', { organizationId, ...(ownerId === null ? {} : { ownerId }) })) ?? 0;
  }

  /** Storage names, of those given, that rows of the owner use. */
  async named(organizationId: string, ownerId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.dataSource.manager.find(FileEntity, {
      select: { storageName: true },
      where: { organizationId, ownerId, storageName: Any([...names]) },
    });
    return new Set(rows.map(({ storageName }) => storageName));
  }
}

/** The files of one user in one organization. */
export class OwnedFiles extends TenantScope<FileEntity> {
  constructor(
    rows: ConstructorParameters<typeof TenantScope<FileEntity>>[0],
    private readonly owner: Principal,
  ) {
    super(rows, owner.organizationId);
  }

  override find(id: string): Promise<FileEntity | null> {
    return this.rows.findOneBy(this.own({ id }));
  }

  findByName(name: string): Promise<FileEntity | null> {
    return this.rows.findOneBy(this.own({ name }));
  }

  /** Takes the row lock. */
  lockByName(name: string): Promise<FileEntity | null> {
    return this.rows.findOne({ where: this.own({ name }), lock: { mode: 'pessimistic_write' } });
  }

  async page(limit: number, afterName: string | null): Promise<[rows: FileEntity[], total: number]> {
    const where = this.own(afterName === null ? {} : { name: MoreThan(afterName) });
    const rows = await this.rows.find({ where, order: { name: 'ASC' }, take: limit });
    return [rows, await this.rows.countBy(this.own())];
  }

  /** Returns the storage names of the removed files. */
  async removeByIds(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await this.rows.findBy(this.own({ id: Any([...ids]) }));
    await this.rows.remove(rows);
    return rows.map(({ storageName }) => storageName);
  }

  async removeAll(): Promise<number> {
    const { affected } = await this.rows.delete(this.own());
    return affected ?? 0;
  }

  private own(conditions: FindOptionsWhere<FileEntity> = {}): FindOptionsWhere<FileEntity> {
    return this.where({ ...conditions, ownerId: this.owner.userId });
  }
}
