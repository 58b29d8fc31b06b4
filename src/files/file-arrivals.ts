import { Injectable } from '@nestjs/common';
import { type Principal, uuidv7 } from '../kernel';
import type { Transaction } from '../platform/database';
import { BlobStore } from './blob-store';
import { FileArrivalsRepository } from './file-arrivals.repository';
import { insideName, type InsideName, type OutsideFile, readOutsideFile } from './outside-file';
import { sniffType } from './text';

/** As large as an upload may be. */
const FILE_BYTES = 20 * 1024 * 1024;

/** Bytes that lie in an owner's space already, and that no row names yet. */
export interface KeptFile {
  readonly ownerId: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
  readonly storageName: string;
}

/** A file of an owner as it is here. */
export interface StandingFile {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly sha256: string;
  readonly storageName: string;
}

/**
 * Files that come with an organization from elsewhere. Their bytes are put away before the transaction that names them,
 * and thrown away by the caller when it fails.
 */
@Injectable()
export class FileArrivals {
  constructor(
    private readonly files: FileArrivalsRepository,
    private readonly blobs: BlobStore,
  ) {}

  nameOf(path: string): InsideName {
    return insideName(path);
  }

  /** @throws when `root` is no folder that can be read. */
  read(root: string, path: string): Promise<OutsideFile> {
    return readOutsideFile(root, path, FILE_BYTES);
  }

  /** A file as it would be kept, without its bytes. */
  describe(owner: Principal, name: string, bytes: Buffer, sha256: string): KeptFile {
    const contentType = sniffType(bytes, name);
    return { ownerId: owner.userId, name, contentType, size: bytes.length, sha256, storageName: '' };
  }

  /** @throws {AppError} `insufficient_storage`, `unavailable` */
  async keep(owner: Principal, name: string, bytes: Buffer, sha256: string): Promise<KeptFile> {
    const storageName = await this.blobs.put(['files', owner.organizationId, owner.userId], bytes);
    return { ...this.describe(owner, name, bytes, sha256), storageName };
  }

  /** A blob that no row names is never read, so failing to remove one costs disk space only. */
  async discard(organizationId: string, blobs: readonly Pick<KeptFile, 'ownerId' | 'storageName'>[]): Promise<void> {
    await Promise.allSettled(
      blobs.map(({ ownerId, storageName }) => this.blobs.remove(['files', organizationId, ownerId], storageName)),
    );
  }

  /** Every file of these people. */
  async standing(
    organizationId: string,
    ownerIds: readonly string[],
    tx?: Transaction,
  ): Promise<readonly StandingFile[]> {
    const rows = await this.files.ofOwners(organizationId, ownerIds, tx);
    return rows.map(({ id, ownerId, name, sha256, storageName }) => ({ id, ownerId, name, sha256, storageName }));
  }

  /** Returns their ids, in order. */
  async arrive(organizationId: string, files: readonly KeptFile[], tx: Transaction): Promise<string[]> {
    const rows = files.map((file) => ({ id: uuidv7(), ...file }));
    await this.files.insert(organizationId, rows, tx);
    return rows.map(({ id }) => id);
  }

  /** Other bytes under the same id; those of `old` are the caller's to discard. False when they are not there any more. */
  change(organizationId: string, old: StandingFile, { ownerId: _, name: __, ...values }: KeptFile, tx: Transaction) {
    return this.files.update(organizationId, { id: old.id, ...values }, old.storageName, tx);
  }
}
