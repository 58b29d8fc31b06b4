import {
  type Caller,
  type PageRequest,
  type Principal,
  isUuid,
  notFound,
  pageOf,
  uuidCursor,
  existing,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { BlobStore, readCurrent } from '../../files';
import type { UploadedFile } from '../../infrastructure/http';
import { IngestionRequests } from '../ingestion/ingestion-requests';
import { answeringFile } from '../storage/document-files';
import { knowledgeBaseSpace } from '../storage/document-scope.repository';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBasePermissions } from '../storage/knowledge-base.permissions';
import type { DocumentStatus } from '../storage/knowledge-base.types';
import { DocumentStore } from './document-store';
import { DocumentUploads } from './document-uploads';
import type { DocumentDto, DocumentPageDto, DocumentProgressDto } from './document.dto';

function progressOf({
  status,
  progressCurrent,
  progressTotal,
  chunkCount,
}: DocumentEntity): DocumentProgressDto | null {
  if (status === 'completed') return { current: chunkCount, total: chunkCount };
  return progressTotal === 0 ? null : { current: progressCurrent, total: progressTotal };
}

const toDocumentDto = (row: DocumentEntity): DocumentDto => ({
  id: row.id,
  knowledge_base_id: row.knowledgeBaseId,
  filename: row.filename,
  source_url: row.sourceUrl,
  title: row.title,
  content_type: row.contentType,
  size: row.size,
  sha256: row.sha256,
  status: row.status,
  progress: progressOf(row),
  error: row.error,
  error_code: row.errorCode,
  warnings: row.warnings,
  attempts: row.attempts,
  chunk_count: row.chunkCount,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

/** How long a request waits for documents to be processed. */
const WAIT_MS = 10_000;
/** A request does not wait for more documents than this. */
const WAIT_FOR = 50;
/** Larger than any upload, so that every stored document can be read. */
const READ_MAX_BYTES = 1024 * 1024 * 1024;

interface DocumentFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Documents of one knowledge base. */
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

  /** Every file becomes a document with its own status and error. */
  async upload(caller: Caller, knowledgeBaseId: string, uploads: readonly UploadedFile[]): Promise<DocumentDto[]> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    const saved = await this.uploads.accept(caller, knowledgeBase, uploads);
    const changed = saved.filter((each) => each.changed).map(({ id }) => id);
    if (changed.length > 0 && changed.length <= WAIT_FOR) await this.requests.settled(changed, WAIT_MS);
    const rows = await this.documents.within(knowledgeBase.organizationId).ofIds(saved.map(({ id }) => id));
    return saved.flatMap(({ id }) => {
      const row = rows.get(id);
      return row === undefined ? [] : [toDocumentDto(row)];
    });
  }

  async list(
    principal: Principal,
    knowledgeBaseId: string,
    page: PageRequest,
    status: DocumentStatus | null,
  ): Promise<DocumentPageDto> {
    const { id } = await this.permissions.readable(principal, knowledgeBaseId);
    const [rows, total] = await this.documents.within(principal.organizationId).page({
      knowledgeBaseId: id,
      status,
      limit: page.limit + 1,
      after: uuidCursor(page.cursor),
    });
    const { items, next_cursor } = pageOf(rows, page.limit, (row) => row.id);
    return { items: items.map(toDocumentDto), next_cursor, total };
  }

  async get(principal: Principal, knowledgeBaseId: string, id: string): Promise<DocumentDto> {
    return toDocumentDto(await this.required(principal, knowledgeBaseId, id));
  }

  /** The file that the current passages come from, also while a replacement waits or after it failed. */
  async download(
    principal: Principal,
    knowledgeBaseId: string,
    id: string,
    signal?: AbortSignal,
  ): Promise<DocumentFile> {
    return readCurrent(await this.required(principal, knowledgeBaseId, id), {
      nameOf: (row) => answeringFile(row).storageName,
      again: () => this.required(principal, knowledgeBaseId, id),
      read: (row) => this.read(row, signal),
    });
  }

  async retry(caller: Caller, knowledgeBaseId: string, id: string): Promise<DocumentDto> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    if (!isUuid(id)) throw notFound('Document');
    await this.store.retry(caller, knowledgeBase, id);
    this.requests.wake();
    await this.requests.settled([id], WAIT_MS);
    return this.get(caller, knowledgeBaseId, id);
  }

  /** Returns how many documents are processed again. */
  async retryFailed(caller: Caller, knowledgeBaseId: string): Promise<number> {
    const knowledgeBase = await this.permissions.owned(caller, knowledgeBaseId);
    const ids = await this.store.retryFailed(caller, knowledgeBase);
    this.requests.wake();
    return ids.length;
  }

  async cancel(caller: Caller, knowledgeBaseId: string, id: string): Promise<DocumentDto> {
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

  private async read(row: DocumentEntity, signal?: AbortSignal): Promise<DocumentFile> {
    const { storageName, contentType } = answeringFile(row);
    const space = knowledgeBaseSpace(row.organizationId, row.knowledgeBaseId);
    const bytes = await this.blobs.read(space, storageName, READ_MAX_BYTES, signal);
    return { filename: row.filename, contentType, bytes };
  }

  private async required(principal: Principal, knowledgeBaseId: string, id: string): Promise<DocumentEntity> {
    const knowledgeBase = await this.permissions.readable(principal, knowledgeBaseId);
    const documents = this.documents.within(principal.organizationId);
    return existing(isUuid(id) ? await documents.findIn(knowledgeBase.id, id) : null, 'Document');
  }
}
