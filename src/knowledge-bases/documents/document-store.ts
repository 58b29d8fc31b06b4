import { Injectable } from '@nestjs/common';
import { sniffType } from '../../files';
import { AppError, type Caller, notFound, uuidv7 } from '../../kernel';
import { AuditLog } from '../../platform/audit';
import { type Transaction, Transactions } from '../../platform/database';
import type { UploadedFile } from '../../platform/http';
import type { DocumentEntity } from './document.entity';
import { DocumentRepository, type DocumentScope } from './document.repository';
import type { KnowledgeBaseEntity } from '../knowledge-base.entity';
import { SearchIndex } from '../search/search-index';

export interface StoredUpload extends UploadedFile {
  readonly storageName: string;
}

export interface SavedDocument {
  readonly row: DocumentEntity;
  /** Blob that no row names: the old bytes, or the new ones where nothing changed. */
  readonly unused: string | null;
  readonly changed: boolean;
}

const DELETING = 'The document is being deleted';

/** Every change takes the knowledge base's lock first: one order of locks for uploads, deletions and the index. */
@Injectable()
export class DocumentStore {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly index: SearchIndex,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** Same name and bytes: nothing happens. Same name, other bytes: the row waits for its new content, old chunks still answer. */
  save(caller: Caller, knowledgeBase: KnowledgeBaseEntity, uploads: readonly StoredUpload[]): Promise<SavedDocument[]> {
    return this.locked(knowledgeBase, async (documents, tx) => {
      const saved: SavedDocument[] = [];
      for (const upload of uploads) saved.push(await this.saveOne(caller, knowledgeBase, upload, documents, tx));
      return saved;
    });
  }

  /** Makes a failed document wait again. */
  retry(caller: Caller, knowledgeBase: KnowledgeBaseEntity, id: string): Promise<DocumentEntity> {
    return this.locked(knowledgeBase, async (documents, tx) => {
      const row = await required(documents, knowledgeBase, id);
      if (row.status !== 'failed') throw new AppError('conflict', `The document is ${row.status}, not failed`);
      await documents.update(id, { status: 'pending', error: null });
      await this.record(caller, 'document.retry', row, {}, tx);
      return required(documents, knowledgeBase, id);
    });
  }

  /** Takes the document out of every answer at once; `purge` then removes what is left of it. */
  hide(caller: Caller, knowledgeBase: KnowledgeBaseEntity, id: string): Promise<DocumentEntity> {
    return this.locked(knowledgeBase, async (documents, tx) => {
      const row = await required(documents, knowledgeBase, id);
      await documents.update(id, { status: 'failed', error: DELETING, generation: null });
      await this.record(caller, 'document.delete', row, { before: { filename: row.filename, sha256: row.sha256 } }, tx);
      return row;
    });
  }

  /** Removes a hidden document: its chunks in short transactions, then its row, unless it was uploaded anew meanwhile. */
  async purge(row: DocumentEntity): Promise<void> {
    await this.removeChunks(row);
    await this.documents.within(row.organizationId).removeHidden(row.id, DELETING);
  }

  /** Removes a document of a knowledge base that nobody sees any more. */
  async purgeUnseen(row: DocumentEntity): Promise<void> {
    await this.removeChunks(row);
    await this.documents.within(row.organizationId).remove(row.id);
  }

  private removeChunks({ organizationId, knowledgeBaseId, id }: DocumentEntity): Promise<void> {
    return this.index.removeChunks({ organizationId, knowledgeBaseId, documentId: id }, 'all');
  }

  private locked<T>(
    { organizationId, id }: KnowledgeBaseEntity,
    work: (documents: DocumentScope, tx: Transaction) => Promise<T>,
  ): Promise<T> {
    return this.transactions.run(async (tx) => {
      const knowledgeBase = await this.index.lock(organizationId, id, tx);
      if (knowledgeBase === undefined || knowledgeBase.deleted) throw notFound('Knowledge base');
      return work(this.documents.within(organizationId, tx), tx);
    });
  }

  private async saveOne(
    caller: Caller,
    { id: knowledgeBaseId }: KnowledgeBaseEntity,
    { name: filename, bytes, sha256, storageName }: StoredUpload,
    documents: DocumentScope,
    tx: Transaction,
  ): Promise<SavedDocument> {
    const old = await documents.findByName(knowledgeBaseId, filename);
    if (old !== null && old.sha256 === sha256 && old.status !== 'failed') {
      return { row: old, unused: storageName, changed: false };
    }
    const content = {
      contentType: sniffType(bytes, filename),
      size: bytes.length,
      sha256,
      storageName,
      status: 'pending' as const,
      error: null,
    };
    const id = old?.id ?? uuidv7();
    if (old === null) await documents.insert({ id, knowledgeBaseId, filename, title: null, ...content });
    else await documents.update(id, content);
    const row = await documents.find(id);
    if (row === null) throw notFound('Document');
    await this.record(
      caller,
      old === null ? 'document.create' : 'document.replace',
      row,
      { ...(old === null ? {} : { before: { sha256: old.sha256 } }), after: { filename, sha256, size: bytes.length } },
      tx,
    );
    return { row, unused: old?.storageName ?? null, changed: true };
  }

  private record(
    caller: Caller,
    action: string,
    { id, knowledgeBaseId }: DocumentEntity,
    change: { before?: object; after?: object },
    tx: Transaction,
  ): Promise<void> {
    const after = { knowledge_base_id: knowledgeBaseId, ...change.after };
    return this.audit.record({ caller, action, target: { type: 'document', id }, before: change.before, after }, tx);
  }
}

async function required(
  documents: DocumentScope,
  { id }: KnowledgeBaseEntity,
  documentId: string,
): Promise<DocumentEntity> {
  const row = await documents.findIn(id, documentId);
  if (row === null) throw notFound('Document');
  return row;
}
