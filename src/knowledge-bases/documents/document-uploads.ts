import { detectFormat } from '@bellwether/extraction';
import { type Caller, normalisedName } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { BlobStore, sniffType } from '../../files';
import { batches } from '../../infrastructure/database';
import type { UploadedFile } from '../../infrastructure/http';
import { IngestionRequests } from '../ingestion/ingestion-requests';
import { knowledgeBaseSpace } from '../storage/document-scope.repository';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import { DocumentStore, type SavedDocument, type StoredUpload } from './document-store';

/** Documents of one transaction: the lock is held for a fraction of a second. */
const TRANSACTION_SIZE = 200;
/** Files written to disk at once. */
const CONCURRENT_WRITES = 8;

/** A file that was uploaded or, with `sourceUrl`, fetched. */
export interface NewDocument extends UploadedFile {
  readonly sourceUrl?: string;
}

/** Stores uploaded files and requests their ingestion. The bytes are written before rows and jobs. */
@Injectable()
export class DocumentUploads {
  constructor(
    private readonly store: DocumentStore,
    private readonly requests: IngestionRequests,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * Ids in the order of the uploads, one per name. When a transaction fails, the earlier ones stay: sending the same files
   * again changes nothing about them.
   */
  async accept(
    caller: Caller | null,
    knowledgeBase: KnowledgeBaseEntity,
    uploads: readonly NewDocument[],
  ): Promise<SavedDocument[]> {
    const saved: SavedDocument[] = [];
    for (const batch of batches(lastOfEachName(uploads), TRANSACTION_SIZE)) {
      saved.push(...(await this.save(caller, knowledgeBase, batch)));
    }
    return saved;
  }

  private async save(
    caller: Caller | null,
    knowledgeBase: KnowledgeBaseEntity,
    uploads: readonly NewDocument[],
  ): Promise<SavedDocument[]> {
    const space = knowledgeBaseSpace(knowledgeBase.organizationId, knowledgeBase.id);
    const stored: StoredUpload[] = [];
    let saved: SavedDocument[];
    try {
      await this.writeAll(knowledgeBase, uploads, stored);
      saved = await this.store.save(caller, knowledgeBase, stored);
    } catch (error) {
      const names = stored.map(({ storageName }) => storageName);
      await this.blobs.discardAfter(error, space, names);
      throw error;
    }
    this.requests.interrupt(saved.filter(({ changed }) => changed).map(({ id }) => id));
    this.requests.wake();
    const unused = saved.flatMap((each) => each.unused ?? []);
    await this.blobs.discard(space, unused);
    return saved;
  }

  /** Adds to `stored` what was written, also when a write fails. */
  private async writeAll(
    { organizationId, id }: KnowledgeBaseEntity,
    uploads: readonly NewDocument[],
    stored: StoredUpload[],
  ): Promise<void> {
    const space = knowledgeBaseSpace(organizationId, id);
    for (const batch of batches(uploads, CONCURRENT_WRITES)) {
      const written = await Promise.allSettled(
        batch.map(async (upload): Promise<StoredUpload> => {
          const storageName = await this.blobs.put(space, upload.bytes);
          const { name, size, sha256, sourceUrl = null } = upload;
          return { name, sourceUrl, size, sha256, contentType: await contentTypeOf(upload), storageName };
        }),
      );
      stored.push(...written.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
      const failed = written.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
  }
}

/** An unreadable document fails later with its reason. Until then the type is a guess. */
async function contentTypeOf({ bytes, name }: UploadedFile): Promise<string> {
  try {
    return (await detectFormat(bytes, name)).contentType;
  } catch {
    return sniffType(bytes, name);
  }
}

/** The last of several files with one name counts, as if they had been uploaded one after the other. */
const lastOfEachName = (uploads: readonly NewDocument[]): NewDocument[] => [
  ...new Map(uploads.map((upload) => [normalisedName(upload.name), upload])).values(),
];
