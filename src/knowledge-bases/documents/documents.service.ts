import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BlobStore } from '../../files';
import {
  type Caller,
  decodeCursor,
  encodeCursor,
  invalid,
  isUuid,
  notFound,
  type Page,
  type PageRequest,
  type Principal,
} from '../../kernel';
import type { UploadedFile } from '../../platform/http';
import { DocumentStore, type StoredUpload } from './document-store';
import type { DocumentEntity } from './document.entity';
import { DocumentRepository } from './document.repository';
import { IngestionService, knowledgeBaseSpace } from '../ingestion/ingestion.service';
import type { KnowledgeBaseEntity } from '../knowledge-base.entity';
import { KnowledgeBasePermissions } from '../knowledge-base.permissions';
import type { DocumentStatus, DocumentView } from '../knowledge-base.types';

/** How long an upload waits for its documents before it answers while some are still `pending`. */
const WAIT_MS = 10_000;
const READ_MAX_BYTES = 16 * 1024 * 1024;

/** Documents of one knowledge base: uploaded, listed, retried, deleted. */
@Injectable()
export class DocumentsService {
  constructor(
    private readonly permissions: KnowledgeBasePermissions,
    private readonly documents: DocumentRepository,
    private readonly store: DocumentStore,
    private readonly ingestion: IngestionService,
    private readonly blobs: BlobStore,
  ) {}

  /** Every file becomes a document with its own status; one that cannot be read does not harm the others. */
  async upload(caller: Caller, knowledgeBaseId: string, uploads: readonly UploadedFile[]): Promise<DocumentView[]> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    const stored: StoredUpload[] = [];
    try {
      for (const upload of lastOfEachName(uploads)) stored.push(await this.putBlob(knowledgeBase, upload));
      const saved = await this.store.save(caller, knowledgeBase, stored);
      await this.discard(
        knowledgeBase,
        saved.flatMap(({ unused }) => unused ?? []),
      );
      await this.process(saved.flatMap(({ row, changed }) => (changed ? [row] : [])));
      return Promise.all(saved.map(({ row }) => this.fresh(row)));
    } catch (error) {
      await this.discard(
        knowledgeBase,
        stored.map(({ storageName }) => storageName),
      );
      throw error;
    }
  }

  async list(
    principal: Principal,
    knowledgeBaseId: string,
    page: PageRequest,
    status: DocumentStatus | null,
  ): Promise<Page<DocumentView>> {
    const { id } = await this.permissions.readable(principal, knowledgeBaseId);
    const after = page.cursor === null ? null : decodeCursor(page.cursor, 1)?.[0];
    if (after === undefined || (after !== null && !isUuid(String(after)))) {
      throw invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
    }
    const [rows, total] = await this.documents.within(principal.organizationId).page({
      knowledgeBaseId: id,
      status,
      limit: page.limit + 1,
      after: after === null ? null : String(after),
    });
    const items = rows.slice(0, page.limit);
    const last = items.at(-1);
    return {
      items: items.map(toDocumentView),
      next_cursor: rows.length > page.limit && last !== undefined ? encodeCursor([last.id]) : null,
      total,
    };
  }

  async get(principal: Principal, knowledgeBaseId: string, id: string): Promise<DocumentView> {
    return toDocumentView(await this.required(principal, knowledgeBaseId, id));
  }

  async download(
    principal: Principal,
    knowledgeBaseId: string,
    id: string,
  ): Promise<{ filename: string; contentType: string; bytes: Buffer }> {
    const row = await this.required(principal, knowledgeBaseId, id);
    const space = knowledgeBaseSpace(row.organizationId, row.knowledgeBaseId);
    const bytes = await this.blobs.read(space, row.storageName, READ_MAX_BYTES);
    return { filename: row.filename, contentType: row.contentType, bytes };
  }

  async retry(caller: Caller, knowledgeBaseId: string, id: string): Promise<DocumentView> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    if (!isUuid(id)) throw notFound('Document');
    const row = await this.store.retry(caller, knowledgeBase, id);
    await this.process([row]);
    return this.fresh(row);
  }

  async remove(caller: Caller, knowledgeBaseId: string, id: string): Promise<void> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    if (!isUuid(id)) throw notFound('Document');
    const row = await this.store.hide(caller, knowledgeBase, id);
    await this.store.purge(row);
    await this.discard(knowledgeBase, [row.storageName]);
  }

  private async required(principal: Principal, knowledgeBaseId: string, id: string): Promise<DocumentEntity> {
    const knowledgeBase = await this.permissions.readable(principal, knowledgeBaseId);
    const documents = this.documents.within(principal.organizationId);
    const row = isUuid(id) ? await documents.findIn(knowledgeBase.id, id) : null;
    if (row === null) throw notFound('Document');
    return row;
  }

  private async putBlob(knowledgeBase: KnowledgeBaseEntity, upload: UploadedFile): Promise<StoredUpload> {
    const space = knowledgeBaseSpace(knowledgeBase.organizationId, knowledgeBase.id);
    return { ...upload, storageName: await this.blobs.put(space, upload.bytes) };
  }

  private async process(rows: readonly DocumentEntity[]): Promise<void> {
    if (rows.length === 0) return;
    const timer = new AbortController();
    const waited = sleep(WAIT_MS, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
    await Promise.race([Promise.all(rows.map((row) => this.ingestion.enqueue(row))), waited]);
    timer.abort();
  }

  private async fresh(row: DocumentEntity): Promise<DocumentView> {
    return toDocumentView((await this.documents.within(row.organizationId).find(row.id)) ?? row);
  }

  private async discard({ organizationId, id }: KnowledgeBaseEntity, names: readonly string[]): Promise<void> {
    const space = knowledgeBaseSpace(organizationId, id);
    await Promise.allSettled(names.map((name) => this.blobs.remove(space, name)));
  }
}

/** A name that comes twice in one upload means its last bytes, as if they had been sent one after the other. */
const lastOfEachName = (uploads: readonly UploadedFile[]): UploadedFile[] => [
  ...new Map(uploads.map((upload) => [upload.name, upload])).values(),
];

const toDocumentView = (row: DocumentEntity): DocumentView => ({
  id: row.id,
  knowledge_base_id: row.knowledgeBaseId,
  filename: row.filename,
  title: row.title,
  content_type: row.contentType,
  size: row.size,
  sha256: row.sha256,
  status: row.status,
  error: row.error,
  attempts: row.attempts,
  chunk_count: row.chunkCount,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});
