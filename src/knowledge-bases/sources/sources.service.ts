import {
  AppError,
  type Caller,
  type PageRequest,
  type Principal,
  isUuid,
  notFound,
  pageOf,
  uuidCursor,
  uuidv7,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions, isUniqueViolation } from '../../infrastructure/database';
import { OutboundClient } from '../../infrastructure/outbound';
import { DocumentsService } from '../documents/documents.service';
import { IngestionRequests } from '../ingestion/ingestion-requests';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBasePermissions } from '../storage/knowledge-base.permissions';
import { extensionOf, isCaptionsFile } from './source-fetcher';
import { watchAddress } from './watch-page';
import { SourceRequests, nextRefresh } from './source-refresh.service';
import type { CreateSourceDto, SourceDto, SourcePageDto, SourceStatus, UpdateSourceDto } from './source.dto';
import type { SourceEntity } from './source.entity';
import { DUE, SourceRepository } from './source.repository';

/**
 * The address as it is stored: without a fragment, which is never sent; a video by its watch page.
 * @throws {AppError} `outbound_refused`
 */
export function addressOf(text: string): Pick<SourceEntity, 'url' | 'kind'> {
  if (!URL.canParse(text)) throw new AppError('outbound_refused', 'This is not a valid URL');
  const url = new URL(text);
  url.hash = '';
  const watch = watchAddress(url);
  if (watch !== null) return { url: watch, kind: 'video' };
  return { url: url.href, kind: isCaptionsFile(extensionOf(url)) ? 'video' : 'page' };
}

function statusOf({ status }: SourceEntity, document: DocumentEntity | undefined): SourceStatus {
  if (status !== 'fetched') return status;
  if (document?.status === 'pending' || document?.status === 'processing') return 'processing';
  return document?.status === 'failed' ? 'failed' : 'completed';
}

/** `document`: the one of the source, unless it was deleted. */
function toSourceDto(row: SourceEntity, document: DocumentEntity | undefined): SourceDto {
  const status = statusOf(row, document);
  const failure = status === 'failed' && row.status === 'fetched' ? document : row;
  return {
    id: row.id,
    knowledge_base_id: row.knowledgeBaseId,
    url: row.url,
    kind: row.kind,
    refresh: row.refresh,
    language: row.language,
    status,
    error: failure?.error ?? null,
    error_code: failure?.errorCode ?? null,
    document_id: document?.id ?? null,
    title: document?.title ?? null,
    checked_at: row.checkedAt,
    fetched_at: row.fetchedAt,
    next_refresh_at: row.nextAt,
    created_at: row.createdAt,
  };
}

/** How long a request waits for the content, and then for its indexing. */
const WAIT_MS = 10_000;
const MOST_SOURCES = 1_000;

/** Addresses of one knowledge base whose content are documents of it. */
@Injectable()
export class SourcesService {
  constructor(
    private readonly permissions: KnowledgeBasePermissions,
    private readonly sources: SourceRepository,
    private readonly documents: DocumentRepository,
    private readonly documentsService: DocumentsService,
    private readonly requests: SourceRequests,
    private readonly ingestion: IngestionRequests,
    private readonly outbound: OutboundClient,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** @throws {AppError} `outbound_refused`, `conflict` for an address that is there already */
  async add(caller: Caller, knowledgeBaseId: string, body: CreateSourceDto): Promise<SourceDto> {
    const { id: kb } = await this.permissions.owned(caller, knowledgeBaseId);
    const { url, kind } = addressOf(body.url);
    await this.outbound.assertDialable(url);
    const { refresh = 'manual', language = null } = body;
    const { organizationId } = caller;
    try {
      const id = await this.transactions.once('source.create', async (tx) => {
        const id = uuidv7();
        const scope = this.sources.within(organizationId, tx);
        if ((await scope.count(kb)) >= MOST_SOURCES) throw tooMany();
        await scope.insert({ id, knowledgeBaseId: kb, url, kind, refresh, language, status: 'pending' });
        await this.requests.send([{ organizationId, id }], tx);
        await this.record(caller, 'source.create', id, { knowledge_base_id: kb, url, refresh, language }, tx);
        return id;
      });
      return await this.fetched(caller, kb, id);
    } catch (error) {
      if (isUniqueViolation(error, 'kb_sources_url_uq')) throw isThere(url);
      throw error;
    }
  }

  async list(principal: Principal, knowledgeBaseId: string, page: PageRequest): Promise<SourcePageDto> {
    const { id } = await this.permissions.readable(principal, knowledgeBaseId);
    const scope = this.sources.within(principal.organizationId);
    const [rows, total] = await scope.page(id, page.limit + 1, uuidCursor(page.cursor));
    const { items, next_cursor } = pageOf(rows, page.limit, (row) => row.id);
    return { items: await this.views(principal, items), next_cursor, total };
  }

  async get(principal: Principal, knowledgeBaseId: string, id: string): Promise<SourceDto> {
    const { id: kb } = await this.permissions.readable(principal, knowledgeBaseId);
    const [view] = await this.views(principal, [await this.required(principal, kb, id)]);
    if (view === undefined) throw notFound('Source');
    return view;
  }

  async refresh(caller: Caller, knowledgeBaseId: string, id: string): Promise<SourceDto> {
    const { id: kb } = await this.permissions.owned(caller, knowledgeBaseId);
    const { organizationId } = caller;
    const { url } = await this.required(caller, kb, id);
    await this.transactions.once('source.refresh', async (tx) => {
      const scope = this.sources.within(organizationId, tx);
      const row = await scope.findIn(kb, id);
      // One that waits or is being fetched is not started twice.
      if (row === null || isUnfinished(row)) return id;
      await scope.update(id, DUE);
      await this.requests.send([{ organizationId, id }], tx);
      await this.record(caller, 'source.refresh', id, { knowledge_base_id: kb, url }, tx);
      return id;
    });
    return this.fetched(caller, kb, id);
  }

  async update(caller: Caller, knowledgeBaseId: string, id: string, { refresh }: UpdateSourceDto): Promise<SourceDto> {
    const { id: kb } = await this.permissions.owned(caller, knowledgeBaseId);
    await this.required(caller, kb, id);
    await this.transactions.run(async (tx) => {
      const scope = this.sources.within(caller.organizationId, tx);
      const row = await scope.findIn(kb, id);
      if (row === null || row.refresh === refresh) return;
      // One that waits or is being fetched gets its time when that ends.
      const nextAt = row.checkedAt === null || isUnfinished(row) ? null : nextRefresh(refresh, 0, row.checkedAt);
      await scope.update(id, { refresh, nextAt });
      await this.record(caller, 'source.update', id, { knowledge_base_id: kb, url: row.url, refresh }, tx);
    });
    return this.get(caller, kb, id);
  }

  /** The document first: a source whose document is gone can be removed by a second request. */
  async remove(caller: Caller, knowledgeBaseId: string, id: string): Promise<void> {
    const { id: kb } = await this.permissions.owned(caller, knowledgeBaseId);
    const { url, documentId } = await this.required(caller, kb, id);
    const { organizationId } = caller;
    const document = documentId === null ? null : await this.documents.within(organizationId).findIn(kb, documentId);
    if (document !== null) await this.documentsService.remove(caller, kb, document.id);
    await this.transactions.run(async (tx) => {
      if (!(await this.sources.within(organizationId, tx).remove(id))) return;
      await this.record(caller, 'source.delete', id, { knowledge_base_id: kb, url }, tx);
    });
  }

  private async fetched(caller: Caller, knowledgeBaseId: string, id: string): Promise<SourceDto> {
    this.requests.wake();
    await this.requests.settled(id, WAIT_MS);
    const { documentId } = await this.required(caller, knowledgeBaseId, id);
    if (documentId !== null) await this.ingestion.settled([documentId], WAIT_MS);
    return this.get(caller, knowledgeBaseId, id);
  }

  private async views({ organizationId }: Principal, rows: readonly SourceEntity[]): Promise<SourceDto[]> {
    const ids = rows.flatMap(({ documentId }) => documentId ?? []);
    const documents = await this.documents.within(organizationId).ofIds(ids);
    return rows.map((row) => {
      const document = documents.get(row.documentId ?? '');
      return toSourceDto(row, document?.deletedAt === null ? document : undefined);
    });
  }

  private async required({ organizationId }: Principal, knowledgeBaseId: string, id: string): Promise<SourceEntity> {
    const row = isUuid(id) ? await this.sources.within(organizationId).findIn(knowledgeBaseId, id) : null;
    if (row === null) throw notFound('Source');
    return row;
  }

  private record(caller: Caller, action: string, id: string, after: object, tx: Transaction): Promise<void> {
    return this.audit.record({ caller, action, target: { type: 'source', id }, after }, tx);
  }
}

const isUnfinished = ({ status }: SourceEntity): boolean => status === 'pending' || status === 'fetching';

const isThere = (url: string): AppError =>
  new AppError('conflict', `The knowledge base has the address ${url} already; refresh it instead`, {
    problems: [{ path: 'url', message: 'is there already', code: 'value.taken' }],
  });

const tooMany = (): AppError =>
  new AppError('conflict', `A knowledge base has at most ${MOST_SOURCES} addresses`, {
    reason: 'source.too_many',
    values: { limit: MOST_SOURCES },
  });
