import { AppError, type Caller, normalisedName, notFound, uuidv7, existing } from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { StorageLimits } from '../../metering';
import { AuditLog, type AuditRecord } from '../../infrastructure/audit';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { CANCELLED } from '../ingestion/ingestion.service';
import { IngestionRequests } from '../ingestion/ingestion-requests';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import { SearchIndex } from '../search/search-index';
import type { DocumentEntity } from '../storage/document.entity';
import { replacement, type StoredFile } from '../storage/document-files';
import { type DocumentScope, WAITING } from '../storage/document-scope.repository';
import { DocumentRepository } from '../storage/document.repository';

export interface StoredUpload extends StoredFile {
  readonly name: string;
  /** Address that it was fetched from; null for an upload. */
  readonly sourceUrl: string | null;
}

/** The parts of a knowledge base that writing documents needs. */
export type OwnedBase = Pick<KnowledgeBaseEntity, 'organizationId' | 'id' | 'ownerId'>;

export interface SavedDocument {
  readonly id: string;
  readonly changed: boolean;
  /** Storage name of the upload when nothing changed: no row refers to it. */
  readonly unused: string | null;
}

type DocumentWork<T> = (documents: DocumentScope, tx: Transaction) => Promise<T>;

/** Every change first locks the knowledge base: one lock order for uploads, deletions and the index. */
@Injectable()
export class DocumentStore {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly requests: IngestionRequests,
    private readonly index: SearchIndex,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly storage: StorageLimits,
  ) {
    storage.declare({ name: 'documents', bytes: (...of) => documents.bytes(...of) });
  }

  /**
   * A file with a known name and the same bytes changes nothing. With other bytes it replaces the document; its old chunks
   * answer until the new ones are complete. Names must be distinct.
   * @throws {AppError} `conflict` when fetched content has the name of another document
   */
  async save(
    caller: Caller | null,
    knowledgeBase: KnowledgeBaseEntity,
    uploads: readonly StoredUpload[],
  ): Promise<SavedDocument[]> {
    const saving = await this.saving(caller, knowledgeBase, uploads);
    return this.transactions.run(saving);
  }

  /** `save` as work for a transaction of the caller, who has inserted or read the knowledge base. */
  async saving(
    caller: Caller | null,
    knowledgeBase: OwnedBase,
    given: readonly StoredUpload[],
  ): Promise<(tx: Transaction) => Promise<SavedDocument[]>> {
    const uploads = given.map((upload) => ({ ...upload, name: normalisedName(upload.name) }));
    const assertSpace = await this.storage.checkFor({ ...knowledgeBase, userId: knowledgeBase.ownerId });
    const work: DocumentWork<SavedDocument[]> = async (documents, tx) => {
      const names = uploads.map(({ name }) => name);
      const rows = await documents.named(knowledgeBase.id, names);
      // The document with the name as it is stored now wins over an older one with its twin.
      const twins = rows.map((row) => [normalisedName(row.filename), row] as const);
      const known = new Map([...twins, ...rows.map((row) => [row.filename, row] as const)]);
      const plans = uploads.map((upload) => planOf(upload, known.get(upload.name)));
      plans.forEach(assertOwnName);
      const changed = plans.filter((plan) => plan.changed);
      await documents.insertAll(
        changed
          .filter(({ old }) => old === undefined)
          .map((plan) => ({ ...newRow(plan), knowledgeBaseId: knowledgeBase.id })),
      );
      for (const { old, upload } of changed) {
        if (old !== undefined)
          await documents.update(old.id, { ...WAITING, ...replacement(old, upload), filename: upload.name });
      }
      if (changed.length > 0) await assertSpace(tx);
      await this.audit.recordAll(
        changed.map((plan) => auditOf(caller, knowledgeBase, plan)),
        tx,
      );
      await this.requests.ingest(
        knowledgeBase,
        changed.map(({ id }) => id),
        tx,
      );
      return plans.map(({ id, changed, upload }) => ({
        id,
        changed,
        unused: changed ? null : upload.storageName,
      }));
    };
    return (tx) => this.underLock(knowledgeBase, work, tx);
  }

  /** Enqueues a failed document again. */
  retry(caller: Caller, knowledgeBase: KnowledgeBaseEntity, id: string): Promise<string> {
    return this.lockedOnce('document.retry', knowledgeBase, async (documents, tx) => {
      const row = await required(documents, knowledgeBase, id);
      if (row.status !== 'failed')
        throw new AppError('conflict', `The document is ${row.status}, not failed`, { reason: 'document.not_failed' });
      await documents.update(id, { ...WAITING, attempts: row.attempts });
      await this.requests.ingest(knowledgeBase, [id], tx);
      await this.record(caller, 'document.retry', row, tx);
      return id;
    });
  }

  /** Enqueues every failed document again. Returns their ids. */
  retryFailed(caller: Caller, knowledgeBase: KnowledgeBaseEntity): Promise<string[]> {
    return this.lockedOnce('document.retry_failed', knowledgeBase, async (documents, tx) => {
      const ids = await documents.restartFailed(knowledgeBase.id);
      await this.requests.ingest(knowledgeBase, ids, tx);
      const target = { type: 'knowledge_base', id: knowledgeBase.id };
      const after = { documents: ids.length };
      if (ids.length > 0) await this.audit.record({ caller, action: 'document.retry_failed', target, after }, tx);
      return ids;
    });
  }

  /** Ends waiting or processing. Current chunks keep answering. */
  cancel(caller: Caller, knowledgeBase: KnowledgeBaseEntity, id: string): Promise<void> {
    return this.locked(knowledgeBase, async (documents, tx) => {
      const row = await required(documents, knowledgeBase, id);
      if (row.status !== 'pending' && row.status !== 'processing') {
        throw new AppError('conflict', `The document is ${row.status}; there is nothing to cancel`, {
          reason: 'document.not_waiting',
        });
      }
      await documents.update(id, { ...CANCELLED, claim: null, claimedUntil: null });
      await this.record(caller, 'document.cancel', row, tx);
    });
  }

  /** Removes the document from all answers and lists and frees its name. A job then removes chunks and files. */
  hide(caller: Caller | null, knowledgeBase: KnowledgeBaseEntity, id: string): Promise<void> {
    return this.locked(knowledgeBase, async (documents, tx) => {
      const row = await required(documents, knowledgeBase, id);
      await documents.update(id, {
        ...CANCELLED,
        claim: null,
        claimedUntil: null,
        deletedAt: new Date(),
        generation: null,
        // Unguessable, so no upload can collide with it.
        filename: `deleted:${randomUUID()}`,
      });
      await this.requests.purge(row, tx);
      await this.record(caller, 'document.delete', row, tx, { filename: row.filename, sha256: row.sha256 });
    });
  }

  private locked<T>(knowledgeBase: KnowledgeBaseEntity, work: DocumentWork<T>): Promise<T> {
    return this.transactions.run((tx) => this.underLock(knowledgeBase, work, tx));
  }

  /** Locks the knowledge base for a change that a repeated request with the same idempotency key must not repeat. */
  private lockedOnce<T>(name: string, knowledgeBase: KnowledgeBaseEntity, work: DocumentWork<T>): Promise<T> {
    return this.transactions.once(name, (tx) => this.underLock(knowledgeBase, work, tx));
  }

  private async underLock<T>({ organizationId, id }: OwnedBase, work: DocumentWork<T>, tx: Transaction): Promise<T> {
    const knowledgeBase = await this.index.lock(organizationId, id, tx);
    if (knowledgeBase === undefined || knowledgeBase.deleted) throw notFound('Knowledge base');
    return work(this.documents.within(organizationId, tx), tx);
  }

  private record(
    caller: Caller | null,
    action: string,
    { id, organizationId, knowledgeBaseId }: DocumentEntity,
    tx: Transaction,
    before?: object,
  ): Promise<void> {
    const after = { knowledge_base_id: knowledgeBaseId };
    const target = { type: 'document', id };
    return this.audit.record({ caller, organizationId, action, target, before, after }, tx);
  }
}

interface Plan {
  readonly id: string;
  readonly upload: StoredUpload;
  readonly old: DocumentEntity | undefined;
  readonly changed: boolean;
}

const planOf = (upload: StoredUpload, old: DocumentEntity | undefined): Plan => ({
  id: old?.id ?? uuidv7(),
  upload,
  old,
  changed: old === undefined || old.sha256 !== upload.sha256 || old.status === 'failed' || old.setback !== null,
});

const contentOf = ({ size, sha256, contentType, storageName }: StoredUpload) => ({
  size,
  sha256,
  contentType,
  storageName,
});

const newRow = ({ id, upload }: Plan) => ({
  id,
  filename: upload.name,
  sourceUrl: upload.sourceUrl,
  status: 'pending' as const,
  ...contentOf(upload),
});

/** An upload may replace fetched content, never the other way round. */
function assertOwnName({ upload: { sourceUrl, name }, old }: Plan): void {
  if (sourceUrl === null || old === undefined || old.sourceUrl === sourceUrl) return;
  throw new AppError('conflict', `Another document has the name ${name}`, {
    reason: 'document.name_taken',
    values: { name },
  });
}

function auditOf(caller: Caller | null, knowledgeBase: OwnedBase, { id, upload, old }: Plan): AuditRecord {
  const { name: filename, sha256, size } = upload;
  return {
    caller,
    organizationId: knowledgeBase.organizationId,
    action: old === undefined ? 'document.create' : 'document.replace',
    target: { type: 'document', id },
    before: old === undefined ? undefined : { sha256: old.sha256 },
    after: { knowledge_base_id: knowledgeBase.id, filename, sha256, size, source_url: upload.sourceUrl ?? undefined },
  };
}

async function required(
  documents: DocumentScope,
  { id }: KnowledgeBaseEntity,
  documentId: string,
): Promise<DocumentEntity> {
  return existing(await documents.findIn(id, documentId), 'Document');
}
