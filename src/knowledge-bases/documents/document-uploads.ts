import { Injectable } from '@nestjs/common';
import { detectFormat } from '../../extraction';
import { BlobStore, sniffType } from '../../files';
import type { Caller } from '../../kernel';
import type { UploadedFile } from '../../platform/http';
import { IngestionRequests } from '../ingestion/ingestion-requests';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import { DocumentStore, type SavedDocument, type StoredUpload } from './document-store';
import { knowledgeBaseSpace } from '../storage/document-space';

/** Documents that one transaction stores: a lock held for a fraction of a second, however many are uploaded. */
const SLICE = 200;
/** Files written at once: each waits for the disk. */
const WRITES = 8;

/** Stores uploaded files and has them taken in: bytes first, then rows and jobs together, in slices. */
@Injectable()
export class DocumentUploads {
  constructor(
    private readonly store: DocumentStore,
    private readonly requests: IngestionRequests,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * Ids in the order of the uploads, each name once. When storing fails on the way, the slices before stay: to send the
   * same files again changes nothing about them.
   */
  async accept(
    caller: Caller,
    knowledgeBase: KnowledgeBaseEntity,
    uploads: readonly UploadedFile[],
  ): Promise<{ readonly ids: string[]; readonly changed: string[] }> {
    const saved: SavedDocument[] = [];
    const distinct = lastOfEachName(uploads);
    for (let first = 0; first < distinct.length; first += SLICE) {
      const stored = await this.putAll(knowledgeBase, distinct.slice(first, first + SLICE));
      saved.push(...(await this.save(caller, knowledgeBase, stored)));
    }
    return { ids: saved.map(({ id }) => id), changed: saved.filter(({ changed }) => changed).map(({ id }) => id) };
  }

  private async save(
    caller: Caller,
    knowledgeBase: KnowledgeBaseEntity,
    stored: readonly StoredUpload[],
  ): Promise<SavedDocument[]> {
    try {
      const saved = await this.store.save(caller, knowledgeBase, stored);
      this.requests.interrupt(saved.filter(({ changed }) => changed).map(({ id }) => id));
      this.requests.wake();
      await this.discard(
        knowledgeBase,
        saved.flatMap(({ unused }) => unused ?? []),
      );
      return saved;
    } catch (error) {
      await this.discard(
        knowledgeBase,
        stored.map(({ storageName }) => storageName),
      );
      throw error;
    }
  }

  /** All or none. */
  private async putAll(knowledgeBase: KnowledgeBaseEntity, uploads: readonly UploadedFile[]): Promise<StoredUpload[]> {
    const stored: StoredUpload[] = [];
    for (let first = 0; first < uploads.length; first += WRITES) {
      const some = uploads.slice(first, first + WRITES);
      const written = await Promise.allSettled(some.map((upload) => this.put(knowledgeBase, upload)));
      stored.push(...written.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
      const failed = written.find((result) => result.status === 'rejected');
      if (failed === undefined) continue;
      await this.discard(
        knowledgeBase,
        stored.map(({ storageName }) => storageName),
      );
      throw failed.reason;
    }
    return stored;
  }

  private async put({ organizationId, id }: KnowledgeBaseEntity, upload: UploadedFile): Promise<StoredUpload> {
    const storageName = await this.blobs.put(knowledgeBaseSpace(organizationId, id), upload.bytes);
    const { name, size, sha256 } = upload;
    return { name, size, sha256, contentType: await contentTypeOf(upload), storageName };
  }

  private async discard({ organizationId, id }: KnowledgeBaseEntity, names: readonly string[]): Promise<void> {
    const space = knowledgeBaseSpace(organizationId, id);
    await Promise.allSettled(names.map((name) => this.blobs.remove(space, name)));
  }
}

/** A document that cannot be read says why when it is processed; until then the guess has to do. */
async function contentTypeOf({ bytes, name }: UploadedFile): Promise<string> {
  try {
    return (await detectFormat(bytes, name)).contentType;
  } catch {
    return sniffType(bytes, name);
  }
}

/** A name that comes twice in one upload means its last bytes, as if they had been sent one after the other. */
const lastOfEachName = (uploads: readonly UploadedFile[]): UploadedFile[] => [
  ...new Map(uploads.map((upload) => [upload.name, upload])).values(),
];
