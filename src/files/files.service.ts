import {
  AppError,
  type Caller,
  type PageRequest,
  type Principal,
  invalid,
  isUuid,
  normalisedName,
  notFound,
  pageOf,
  textCursor,
  uuidv7,
  existing,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../infrastructure/audit';
import { RowCache, TableChanges } from '../infrastructure/cache';
import { type Transaction, Transactions, isUniqueViolation } from '../infrastructure/database';
import type { UploadedFile } from '../infrastructure/http';
import { type StorageCheck, StorageLimits } from '../metering';
import type { FileDto, FilePageDto } from './file.dto';
import type { BlobSpace } from './places/blob-storage.types';
import { BlobStore, pathProblem, readCurrent, storageNameOf } from './storage/blob-store';
import type { FileEntity } from './storage/file.entity';
import { FileRepository, READ_MAX_BYTES, spaceOf } from './storage/file.repository';
import { cutText, sniffType } from './storage/text';
import type { TextFailure } from './file-text.repository';
import { FileTexts } from './file-texts.service';

/** One uploaded file, as the API shows it. */
export type StoredFile = FileDto;

export interface FileContent extends StoredFile {
  readonly bytes: Buffer;
}

/** Lengths are UTF-16 code units. */
export interface FileText {
  readonly path: string;
  readonly text: string;
  /** Length of `text`. */
  readonly chars: number;
  /** Length of the whole file's text. */
  readonly totalChars: number;
  readonly truncated: boolean;
  /** Parts of a document that the extractor could not read. */
  readonly warnings?: readonly string[];
}

const spaceOfOwner = ({ organizationId, userId }: Principal): BlobSpace => spaceOf(organizationId, userId);

/** `organizations` and `users`: deleting one deletes its files by a cascade. */
const TABLES = ['files', 'organizations', 'users'];
const MOST_KEPT = 5_000;

interface NewFile {
  readonly name: string;
  readonly upload: UploadedFile;
  readonly storageName: string;
}

/** Files of one user. No other user can reach them. */
@Injectable()
export class FilesService {
  private readonly named: RowCache<FileEntity>;

  constructor(
    private readonly files: FileRepository,
    private readonly blobs: BlobStore,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly texts: FileTexts,
    private readonly storage: StorageLimits,
    changes: TableChanges,
  ) {
    this.named = new RowCache(changes, { tables: TABLES, max: MOST_KEPT });
    storage.declare({ name: 'files', bytes: (...of) => files.bytes(...of) });
  }

  /** Stores all files or none. A file of the same name is replaced and keeps its id. @throws {AppError} `storage_limit_reached` */
  upload(caller: Caller, uploads: readonly UploadedFile[]): Promise<StoredFile[]> {
    return this.store(caller, caller, uploads);
  }

  /** Stores files for `owner` that `actor` caused, such as images that a model made. */
  async store(owner: Principal, actor: Caller, uploads: readonly UploadedFile[]): Promise<StoredFile[]> {
    const named = checkedNames(uploads);
    const space = spaceOfOwner(owner);
    const assertSpace = await this.storage.checkFor(owner);
    const stored: NewFile[] = [];
    try {
      for (const { name, upload } of named) {
        stored.push({ name, upload, storageName: await this.blobs.put(space, upload.bytes) });
      }
      const saved = await this.retryOnce(() => this.save(owner, actor, { stored, assertSpace }));
      await this.blobs.discard(
        space,
        saved.flatMap(({ replaced }) => replaced ?? []),
      );
      return saved.map(({ row }) => toStoredFile(row));
    } catch (error) {
      const names = stored.map(({ storageName }) => storageName);
      await this.blobs.discardAfter(error, space, names);
      throw error;
    }
  }

  async list(owner: Principal, page: PageRequest): Promise<FilePageDto> {
    const [rows, total] = await this.files.ownedBy(owner).page(page.limit + 1, textCursor(page.cursor));
    const { items, next_cursor } = pageOf(rows, page.limit, ({ name }) => name);
    return { items: items.map(toStoredFile), next_cursor, total };
  }

  async get(owner: Principal, id: string): Promise<StoredFile> {
    return toStoredFile(await this.required(owner, id));
  }

  async download(owner: Principal, id: string, signal?: AbortSignal): Promise<FileContent> {
    return readCurrent(await this.required(owner, id), {
      nameOf: storageNameOf,
      again: () => this.files.ownedBy(owner).find(id),
      read: async (row) => {
        const bytes = await this.blobs.read(spaceOfOwner(owner), row.storageName, READ_MAX_BYTES, signal);
        return { ...toStoredFile(row), bytes };
      },
    });
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const row = await this.transactions.run(async (tx) => {
      const files = this.files.ownedBy(caller, tx);
      const found = await files.find(id);
      if (found === null || !(await files.remove(id))) throw notFound('File');
      await this.audit.record(
        { caller, action: 'file.delete', target: { type: 'file', id }, before: { name: found.name } },
        tx,
      );
      return found;
    });
    await this.blobs.discard(spaceOfOwner(caller), [row.storageName]);
  }

  /**
   * The first `maxChars` UTF-16 code units of a file's text. `ref` is its path or id. Documents, pages and notebooks go through
   * the extractor.
   * @throws {AppError} `bad_request` for an invalid path, `not_found`, `unsupported_media_type` without readable text
   */
  async readText(owner: Principal, ref: string, maxChars: number): Promise<FileText> {
    const problem = pathProblem(ref);
    if (problem !== null) throw new AppError('bad_request', `The file path ${problem}`);
    return this.textOf(await this.kept(owner, ref), maxChars);
  }

  async textById(owner: Principal, id: string, maxChars: number): Promise<FileText> {
    return this.textOf(await this.required(owner, id), maxChars);
  }

  private async textOf(row: FileEntity, maxChars: number): Promise<FileText> {
    const {
      text: whole,
      totalChars,
      warnings,
    } = await readCurrent(row, {
      nameOf: storageNameOf,
      again: () => this.files.ownedBy({ organizationId: row.organizationId, userId: row.ownerId }).find(row.id),
      read: (now) => this.texts.read(now, maxChars),
    });
    const text = cutText(whole, maxChars);
    const truncated = text.length < totalChars;
    const told = warnings.length > 0 ? { warnings } : {};
    return { path: row.name, text, chars: text.length, totalChars, truncated, ...told };
  }

  /** Why the text cannot be read. Null when it can, and for a missing file. */
  async readFailure(owner: Principal, ref: string): Promise<TextFailure | null> {
    const row = pathProblem(ref) === null ? await this.find(owner, ref) : null;
    return row === null ? null : this.texts.failure(row);
  }

  /** Version of name and content. @throws {AppError} `not_found` */
  async contentVersion(owner: Principal, ref: string): Promise<string> {
    if (pathProblem(ref) !== null) throw notFound('File');
    const { id, name, sha256 } = await this.kept(owner, ref);
    return `${id} ${name} ${sha256}`;
  }

  async exists(owner: Principal, ref: string): Promise<boolean> {
    return pathProblem(ref) === null && (await this.find(owner, ref)) !== null;
  }

  private kept(owner: Principal, ref: string): Promise<FileEntity> {
    return this.named.get(owner.organizationId, `${owner.userId}/${ref}`, async () => {
      return existing(await this.find(owner, ref), 'File');
    });
  }

  private async find(owner: Principal, ref: string): Promise<FileEntity | null> {
    const files = this.files.ownedBy(owner);
    const byName = await files.findByName(normalisedName(ref));
    return byName ?? (isUuid(ref) ? files.find(ref) : null);
  }

  private async required(owner: Principal, id: string): Promise<FileEntity> {
    return existing(isUuid(id) ? await this.files.ownedBy(owner).find(id) : null, 'File');
  }

  private save(
    owner: Principal,
    actor: Caller,
    { stored, assertSpace }: { readonly stored: readonly NewFile[]; readonly assertSpace: StorageCheck },
  ): Promise<{ row: FileEntity; replaced: string | null }[]> {
    return this.transactions.run(async (tx) => {
      const saved: { row: FileEntity; replaced: string | null }[] = [];
      for (const file of stored) saved.push(await this.saveOne(owner, actor, file, tx));
      await assertSpace(tx);
      return saved;
    });
  }

  private async saveOne(
    owner: Principal,
    caller: Caller,
    { name, upload, storageName }: NewFile,
    tx: Transaction,
  ): Promise<{ row: FileEntity; replaced: string | null }> {
    const files = this.files.ownedBy(owner, tx);
    const values = {
      contentType: sniffType(upload.bytes, name),
      size: upload.bytes.length,
      sha256: upload.sha256,
      storageName,
    };
    const old = await files.lockByName(name);
    const id = old?.id ?? uuidv7();
    if (old === null) await files.insert({ id, name, ownerId: owner.userId, ...values });
    else {
      await files.update(id, values);
      await this.texts.forget({ id, organizationId: owner.organizationId, sha256: upload.sha256 }, tx);
    }
    await this.audit.record(
      {
        caller,
        organizationId: owner.organizationId,
        action: old === null ? 'file.create' : 'file.replace',
        target: { type: 'file', id },
        ...(old === null ? {} : { before: { name, sha256: old.sha256, size: old.size } }),
        after: { name, sha256: upload.sha256, size: values.size },
      },
      tx,
    );
    const row = existing(await files.find(id), 'File');
    return { row, replaced: old?.storageName ?? null };
  }

  /** Two concurrent first uploads of one name collide at the unique key. The retry replaces the other file. */
  private async retryOnce<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isUniqueViolation(error, 'files_name_uq')) throw error;
      return work();
    }
  }
}

/** Sorted by name, so that all transactions lock rows in one order. */
function checkedNames(uploads: readonly UploadedFile[]): { name: string; upload: UploadedFile }[] {
  const named = uploads.map((upload) => ({ name: normalisedName(upload.name), upload }));
  const problems = named.flatMap(({ name }, index) => {
    const problem = pathProblem(name);
    if (problem !== null) return [{ path: `files[${index}]`, message: `The name ${problem}` }];
    const twice = named.findIndex((other) => other.name === name) !== index;
    return twice ? [{ path: `files[${index}]`, message: 'Two files have this name' }] : [];
  });
  if (problems.length > 0) throw invalid(problems);
  return named.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const toStoredFile = (row: FileEntity): StoredFile => ({
  id: row.id,
  path: row.name,
  content_type: row.contentType,
  size: row.size,
  sha256: row.sha256,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});
