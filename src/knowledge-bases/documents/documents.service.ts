import { Injectable } from '@nestjs/common';
import { BlobStore } from '../../files';
import {
  type Caller,
  isUuid,
  notFound,
  type Page,
  pageOf,
  type PageRequest,
  type Principal,
  uuidCursor,
} from '../../kernel';
import type { UploadedFile } from '../../platform/http';
import { IngestionRequests } from '../ingestion/ingestion-requests';
import { KnowledgeBasePermissions } from '../storage/knowledge-base.permissions';
import type { DocumentStatus, DocumentView } from '../storage/knowledge-base.types';
import { answeringFile } from '../storage/document-files';
import { knowledgeBaseSpace } from '../storage/document-space';
import { DocumentStore } from './document-store';
import { DocumentUploads } from './document-uploads';
import { toDocumentView } from './document-view';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';

/** How long a request waits for its documents before it answers while some are still `pending`. */
const WAIT_MS = 10_000;
/** More documents than this are not waited for. */
const WAIT_FOR = 50;
/** Longer than any upload may be, so that every stored document can be read whole. */
const READ_MAX_BYTES = 1024 * 1024 * 1024;

/** Documents of one knowledge base: uploaded, listed, retried, cancelled, deleted. */
@Injectable()
export class DocumentsService {
  constructor(
    private readonly permissions: KnowledgeBasePermissions,
    private readonly documents: DocumentRepository,
    private readonly uploads: DocumentUploads,
    private readonly store: DocumentStore,
    private readonly requests: IngestionRequests,
    private readonly blobs: BlobStore,
  ) {}

  /** Every file becomes a document with its own status; one that cannot be read does not harm the others. */
  async upload(caller: Caller, knowledgeBaseId: string, uploads: readonly UploadedFile[]): Promise<DocumentView[]> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    const { ids, changed } = await this.uploads.accept(caller, knowledgeBase, uploads);
    if (changed.length > 0 && changed.length <= WAIT_FOR) {
      await this.requests.settled(changed, WAIT_MS);
    }
    const rows = await this.documents.within(knowledgeBase.organizationId).ofIds(ids);
    return ids.flatMap((id) => {
      const row = rows.get(id);
      return row === undefined ? [] : [toDocumentView(row)];
    });
  }

  async list(
    principal: Principal,
    knowledgeBaseId: string,
    page: PageRequest,
    status: DocumentStatus | null,
  ): Promise<Page<DocumentView>> {
    const { id } = await this.permissions.readable(principal, knowledgeBaseId);
    const [rows, total] = await this.documents.within(principal.organizationId).page({
      knowledgeBaseId: id,
      status,
      limit: page.limit + 1,
      after: uuidCursor(page.cursor),
    });
    const { items, next_cursor } = pageOf(rows, page.limit, (row) => row.id);
    return {
      items: items.map(toDocumentView),
      next_cursor,
      total,
    };
  }

  async get(principal: Principal, knowledgeBaseId: string, id: string): Promise<DocumentView> {
    return toDocumentView(await this.required(principal, knowledgeBaseId, id));
  }

  /** What its passages are from, also while a replacement waits or after it has failed. */
  async download(
    principal: Principal,
    knowledgeBaseId: string,
    id: string,
  ): Promise<{ filename: string; contentType: string; bytes: Buffer }> {
    const row = await this.required(principal, knowledgeBaseId, id);
    try {
      return await this.read(row);
    } catch (error) {
      // A replacement may have come into force since the row was read.
      const now = await this.required(principal, knowledgeBaseId, id);
      if (answeringFile(now).storageName === answeringFile(row).storageName) throw error;
      return this.read(now);
    }
  }

  async retry(caller: Caller, knowledgeBaseId: string, id: string): Promise<DocumentView> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    if (!isUuid(id)) throw notFound('Document');
    await this.store.retry(caller, knowledgeBase, id);
    this.requests.wake();
    await this.requests.settled([id], WAIT_MS);
    return this.get(caller, knowledgeBaseId, id);
  }

  /** Returns how many documents are tried again. */
  async retryFailed(caller: Caller, knowledgeBaseId: string): Promise<number> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    const ids = await this.store.retryFailed(caller, knowledgeBase);
    this.requests.wake();
    return ids.length;
  }

  async cancel(caller: Caller, knowledgeBaseId: string, id: string): Promise<DocumentView> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    if (!isUuid(id)) throw notFound('Document');
    await this.store.cancel(caller, knowledgeBase, id);
    this.requests.interrupt([id]);
    return this.get(caller, knowledgeBaseId, id);
  }

  async remove(caller: Caller, knowledgeBaseId: string, id: string): Promise<void> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    if (!isUuid(id)) throw notFound('Document');
    await this.store.hide(caller, knowledgeBase, id);
    this.requests.interrupt([id]);
    this.requests.wake();
    await this.requests.gone(id, WAIT_MS);
  }

  private async read(row: DocumentEntity): Promise<{ filename: string; contentType: string; bytes: Buffer }> {
    const { storageName, contentType } = answeringFile(row);
    const space = knowledgeBaseSpace(row.organizationId, row.knowledgeBaseId);
    return { filename: row.filename, contentType, bytes: await this.blobs.read(space, storageName, READ_MAX_BYTES) };
  }

  private async required(principal: Principal, knowledgeBaseId: string, id: string): Promise<DocumentEntity> {
    const knowledgeBase = await this.permissions.readable(principal, knowledgeBaseId);
    const documents = this.documents.within(principal.organizationId);
    const row = isUuid(id) ? await documents.findIn(knowledgeBase.id, id) : null;
    if (row === null) throw notFound('Document');
    return row;
  }
}
