import { AppError, type Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '../infrastructure/database';
import { BlobStore, readCurrent, storageNameOf } from './storage/blob-store';
import { FileRepository, READ_MAX_BYTES, spaceOf } from './storage/file.repository';

type Also = (tx: Transaction, files: number) => Promise<void>;

/** Changes the owner of files, or removes files of one owner. `also` runs in the transaction of the change. */
@Injectable()
export class FileOwnership {
  constructor(
    private readonly files: FileRepository,
    private readonly blobs: BlobStore,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Copies the bytes into the folder of the new owner before the row changes. An equal file of the new owner takes the
   * place of this one. @throws {AppError} `conflict` when the new owner has another file of this name
   */
  async handOver(from: Principal, to: Principal, id: string, also: Also): Promise<void> {
    const row = await this.files.ownedBy(from).find(id);
    if (row === null) return;
    const bytes = await readCurrent(row, {
      nameOf: storageNameOf,
      again: () => this.files.ownedBy(from).find(id),
      read: ({ storageName }) =>
        this.blobs.read(spaceOf(from.organizationId, from.userId), storageName, READ_MAX_BYTES),
    });
    const space = spaceOf(to.organizationId, to.userId);
    const storageName = await this.blobs.put(space, bytes);
    try {
      const isMoved = await this.transactions.run(async (tx) => {
        const taken = await this.files.ownedBy(to, tx).lockByName(row.name);
        if (taken !== null && taken.sha256 !== row.sha256) {
          throw new AppError('conflict', `The new owner has another file named ${row.name}`);
        }
        const files = this.files.ownedBy(from, tx);
        if (taken === null) await files.update(id, { ownerId: to.userId, storageName });
        else await files.remove(id);
        await also(tx, 1);
        return taken === null;
      });
      if (!isMoved) await this.blobs.discard(space, [storageName]);
    } catch (error) {
      await this.blobs.discardAfter(error, space, [storageName]);
      throw error;
    }
    await this.blobs.discard(spaceOf(from.organizationId, from.userId), [row.storageName]);
  }

  /** Removes files of one owner; ids that are gone are no error. */
  async remove(owner: Principal, ids: readonly string[], also: Also): Promise<void> {
    const names = await this.transactions.run(async (tx) => {
      const removed = await this.files.ownedBy(owner, tx).removeByIds(ids);
      await also(tx, removed.length);
      return removed;
    });
    await this.blobs.discard(spaceOf(owner.organizationId, owner.userId), names);
  }

  /** Rows first: a folder without rows is removed by the next call or by the sweep. */
  async removeAll(owner: Principal, also: Also): Promise<void> {
    await this.transactions.run(async (tx) => also(tx, await this.files.ownedBy(owner, tx).removeAll()));
    await this.blobs.removeSpace(spaceOf(owner.organizationId, owner.userId));
  }
}
