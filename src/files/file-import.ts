import { normalisedName } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { type FileHandle, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type ImportRow, type ImportScope, TableImport, mayHaveCommitted } from '../infrastructure/database';
import { isAt, openPlain, readBytes } from './places/blob-folders';
import { BlobStore, pathProblem } from './storage/blob-store';
import { spaceOf } from './storage/file.repository';
import { FileEntity } from './storage/file.entity';
import { sniffType } from './storage/text';
import { FileTexts } from './file-texts.service';

type SourceFile =
  | { readonly found: true; readonly bytes: Buffer; readonly sha256: string }
  | { readonly found: false; readonly problem: string };

type ImportedName = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly problem: string };

const NOT_THERE = 'is not there';

const missing = (problem: string): SourceFile => ({ found: false, problem });

/** The file name here for a path of another system. Forbidden characters are replaced; a path that leaves its folder fails. */
export function importedName(path: string): ImportedName {
  if (path.startsWith('/')) return { ok: false, problem: 'is absolute' };
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const name = normalisedName(parts.map(withoutForbidden).join('/'));
  const problem = pathProblem(name);
  return problem === null ? { ok: true, name } : { ok: false, problem };
}

const withoutForbidden = (part: string): string =>
  [...part]
    .map((character) => (character < ' ' || character === '\u007f' || character === '\\' ? '_' : character))
    .join('');

/** Reads a file below `root`, an untrusted folder of another system: plain files only, without symbolic or hard links. */
async function readSourceFile(root: string, path: string, maxBytes: number): Promise<SourceFile> {
  const inside = importedName(path);
  if (!inside.ok || path.includes('\u0000')) return missing(inside.ok ? 'holds a control character' : inside.problem);
  const base = await realpath(root);
  const tries: SourceFile[] = [];
  for (const spelling of new Set([path, normalisedName(path), path.normalize('NFD')])) {
    const found = await readAt(join(base, spelling), maxBytes);
    if (found.found) return found;
    tries.push(found);
  }
  return tries.find((each) => !each.found && each.problem !== NOT_THERE) ?? missing(NOT_THERE);
}

async function readAt(place: string, maxBytes: number): Promise<SourceFile> {
  const real = await realpath(place).catch(() => null);
  if (real === null) return missing(NOT_THERE);
  if (real !== place) return missing('is reached by a symbolic link');
  let handle: FileHandle;
  try {
    handle = await openPlain(place);
  } catch {
    return missing('cannot be read');
  }
  try {
    return await readPlain(handle, place, maxBytes);
  } catch {
    return missing('cannot be read');
  } finally {
    await handle.close();
  }
}

async function readPlain(handle: FileHandle, place: string, maxBytes: number): Promise<SourceFile> {
  const stats = await handle.stat();
  const { size } = stats;
  if (!stats.isFile()) return missing('is not a plain file');
  if (stats.nlink !== 1) return missing('is a hard link');
  if (size > maxBytes) return missing(`is larger than ${maxBytes} bytes`);
  if (!(await isAt(handle, (path) => path === place))) return missing('is reached by a symbolic link');
  const bytes = await readBytes(handle, size);
  return { found: true, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

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
