import { detectFormat, ExtractionError } from '@bellwether/extraction';
import { AppError, uuidv7 } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DocumentStore, type OwnedBase, type StoredUpload } from './documents/document-store';
import { EmbeddingSettings } from './embedding/embedding-settings';
import { ExternalCollectionRepository } from './external-collection.repository';
import type { ExternalCollectionEntity } from './external-collection.entity';
import { BlobStore } from '../files';
import { chunkSizes, NEW_INDEX } from './knowledge-base-settings';
import { freeSlug } from './knowledge-base-store';
import { IngestionRequests } from './ingestion/ingestion-requests';
import { AuditLog } from '../infrastructure/audit';
import type { Transaction } from '../infrastructure/database';
import { OutboundClient } from '../infrastructure/outbound';
import { addressOf } from './sources/sources.service';
import { SourceRequests } from './sources/source-refresh.service';
import { SourceRepository } from './sources/source.repository';
import { knowledgeBaseSpace } from './storage/document-scope.repository';
import type { DocumentEntity } from './storage/document.entity';
import { DocumentRepository } from './storage/document.repository';
import type { KnowledgeBaseEntity } from './storage/knowledge-base.entity';
import { KnowledgeBaseRepository } from './storage/knowledge-base.repository';
import type { RowRef } from './storage/row-queue';
import { slugOf } from './storage/slug';

/** A knowledge base as another installation describes it. */
interface NewKnowledgeBase extends Pick<
  KnowledgeBaseEntity,
  'organizationId' | 'ownerId' | 'name' | 'description' | 'visibility'
> {
  readonly alias: string;
}

export interface NewSource {
  readonly url: string;
  readonly language: string | null;
}

/** Steps of an import of whole knowledge bases. The rows of one are written in one transaction of the caller. */
@Injectable()
export class KnowledgeBaseImport {
  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly documents: DocumentRepository,
    private readonly collections: ExternalCollectionRepository,
    private readonly sources: SourceRepository,
    private readonly store: DocumentStore,
    private readonly embeddings: EmbeddingSettings,
    private readonly blobs: BlobStore,
    private readonly requests: SourceRequests,
    private readonly ingestion: IngestionRequests,
    private readonly outbound: OutboundClient,
    private readonly audit: AuditLog,
  ) {}

  /** The entry in the organization's list of an external server's collections. */
  listed(organizationId: string, collectionId: string): Promise<ExternalCollectionEntity | null> {
    return this.collections.find(organizationId, collectionId);
  }

  /** Null when it was deleted here. */
  async find(organizationId: string, id: string): Promise<KnowledgeBaseEntity | null> {
    const row = await this.knowledgeBases.within(organizationId).find(id);
    return row?.deletedAt === null ? row : null;
  }

  aliased(organizationId: string, alias: string): Promise<KnowledgeBaseEntity | null> {
    return this.knowledgeBases.within(organizationId).aliased(alias);
  }

  document({ organizationId, id }: RowRef, documentId: string): Promise<DocumentEntity | null> {
    return this.documents.within(organizationId).findIn(id, documentId);
  }

  async isNameTaken({ organizationId, id }: RowRef, name: string): Promise<boolean> {
    return (await this.documents.within(organizationId).named(id, [name])).length > 0;
  }

  /** Why bytes cannot become a document; null when they can, as far as their beginning tells. */
  async unreadable(bytes: Buffer, name: string): Promise<string | null> {
    try {
      await detectFormat(bytes, name);
      return null;
    } catch (error) {
      if (error instanceof ExtractionError) return error.message;
      throw error;
    }
  }

  /** The address as a source stores it, or why it is refused. */
  async checkedAddress(text: string): Promise<{ readonly url: string } | { readonly refusal: string }> {
    try {
      const { url } = addressOf(text);
      await this.outbound.assertDialable(url);
      return { url };
    } catch (error) {
      if (error instanceof AppError) return { refusal: error.detail };
      throw error;
    }
  }

  /** Stores bytes before their rows. `discardAfter` removes them when the transaction fails. */
  async keep(organizationId: string, knowledgeBaseId: string, name: string, bytes: Buffer): Promise<StoredUpload> {
    const { contentType } = await detectFormat(bytes, name);
    const storageName = await this.blobs.put(knowledgeBaseSpace(organizationId, knowledgeBaseId), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { name, sourceUrl: null, size: bytes.length, sha256, contentType, storageName };
  }

  async discardAfter(error: unknown, { organizationId, id }: RowRef, files: readonly StoredUpload[]): Promise<void> {
    const names = files.map(({ storageName }) => storageName);
    await this.blobs.discardAfter(error, knowledgeBaseSpace(organizationId, id), names);
  }

  async create(id: string, values: NewKnowledgeBase, tx: Transaction): Promise<void> {
    const { organizationId, ...columns } = values;
    const scope = this.knowledgeBases.within(organizationId, tx);
    const slug = await freeSlug(scope, slugOf(values.name));
    const index = await this.embeddings.initial(null, tx);
    await scope.insert({ ...NEW_INDEX, ...columns, ...index, ...chunkSizes({ name: values.name }), id, slug });
    const target = { type: 'knowledge_base', id };
    const after = { ...columns, slug };
    await this.audit.record({ caller: null, organizationId, action: 'knowledge_base.import', target, after }, tx);
  }

  /** Call the result in the transaction. */
  saving(knowledgeBase: OwnedBase, files: readonly StoredUpload[]): ReturnType<DocumentStore['saving']> {
    return this.store.saving(null, knowledgeBase, files);
  }

  /** Adds addresses that are refreshed by hand. Returns their ids. */
  async addSources(
    { organizationId, id: knowledgeBaseId }: RowRef,
    added: readonly NewSource[],
    tx: Transaction,
  ): Promise<string[]> {
    const scope = this.sources.within(organizationId, tx);
    const ids: string[] = [];
    for (const { url, language } of added) {
      const id = uuidv7();
      const { kind } = addressOf(url);
      const state = { refresh: 'manual', status: 'pending' } as const;
      await scope.insert({ id, knowledgeBaseId, url, kind, language, ...state });
      const after = { knowledge_base_id: knowledgeBaseId, url };
      const target = { type: 'source', id };
      await this.audit.record({ caller: null, organizationId, action: 'source.import', target, after }, tx);
      ids.push(id);
    }
    await this.requests.send(
      ids.map((id) => ({ organizationId, id })),
      tx,
    );
    return ids;
  }

  async hasSource({ organizationId, id }: RowRef, url: string): Promise<boolean> {
    return this.sources.within(organizationId).hasUrl(id, url);
  }

  /** After the commit. */
  wake(): void {
    this.ingestion.wake();
    this.requests.wake();
  }
}
