import { Injectable } from '@nestjs/common';
import { type ImportRow, type ImportScope, mayHaveCommitted, TableImport } from '../../infrastructure/database';
import { BlobStore } from '../storage/blob-store';
import { spaceOf } from '../storage/file-space';
import { FileEntity } from '../storage/file.entity';
import { importedName, type ImportedName, type SourceFile, readSourceFile } from './source-file';
import { sniffType } from '../storage/text';
import { FileTexts } from '../texts/file-texts.service';

/** The limit of an upload. */
const FILE_BYTES = 20 * 1024 * 1024;

/** A file of another installation. `storageName` is empty until its bytes are stored. */
export type ImportedFile = Readonly<
  Pick<FileEntity, 'ownerId' | 'name' | 'contentType' | 'size' | 'sha256' | 'storageName'>
>;

export type StoredBytes = Pick<ImportedFile, 'ownerId' | 'storageName'>;

/** Imports files. The caller stores the bytes before the transaction, and calls `discardAfter` if it fails. */
@Injectable()
export class FileImport extends TableImport<FileEntity, ImportedFile> {
  readonly compared = ({ ownerId, name, sha256 }: ImportedFile) => ({ ownerId, name, sha256 });

  constructor(
    private readonly blobs: BlobStore,
    private readonly texts: FileTexts,
  ) {
    super({
      entity: FileEntity,
      idColumn: 'id',
      keyColumns: ['ownerId', 'name'],
      toRow: (value) => value,
      toValue: ({ ownerId, name, contentType, size, sha256, storageName }) => ({
        ownerId,
        name,
        contentType,
        size,
        sha256,
        storageName,
      }),
    });
  }

  nameOf(path: string): ImportedName {
    return importedName(path);
  }

  /** Rejects when `root` is not a readable folder. */
  read(root: string, path: string): Promise<SourceFile> {
    return readSourceFile(root, path, FILE_BYTES);
  }

  describe(ownerId: string, name: string, bytes: Buffer, sha256: string): ImportedFile {
    return { ownerId, name, contentType: sniffType(bytes, name), size: bytes.length, sha256, storageName: '' };
  }

  /** @throws {AppError} `insufficient_storage`, `unavailable` */
  async store(organizationId: string, file: ImportedFile, bytes: Buffer): Promise<ImportedFile> {
    const storageName = await this.blobs.put(spaceOf(organizationId, file.ownerId), bytes);
    return { ...file, storageName };
  }

  async discardAfter(error: unknown, organizationId: string, files: readonly StoredBytes[]): Promise<void> {
    if (!mayHaveCommitted(error)) await this.discard(organizationId, files);
  }

  async discard(organizationId: string, files: readonly StoredBytes[]): Promise<void> {
    const stored = files.filter(({ storageName }) => storageName !== '');
    await Promise.all(
      stored.map((file) => this.blobs.discard(spaceOf(organizationId, file.ownerId), [file.storageName])),
    );
  }

  /** The caller discards the replaced bytes. False when another write replaced or removed the file meanwhile. */
  override async update(
    { organizationId, tx }: ImportScope,
    { id, value: { ownerId: _, name: __, ...values } }: ImportRow<ImportedFile>,
    { storageName }: ImportedFile,
  ): Promise<boolean> {
    const { affected } = await tx.getRepository(FileEntity).update({ organizationId, id, storageName }, values);
    if (affected !== 1) return false;
    await this.texts.forget({ id, organizationId, sha256: values.sha256 }, tx);
    return true;
  }
}
