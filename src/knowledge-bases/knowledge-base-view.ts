import type { Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DocumentRepository } from './storage/document.repository';
import { hybridWeightOf } from './embedding/embedding-settings';
import type { KnowledgeBaseEntity } from './storage/knowledge-base.entity';
import type { EmbeddingDto, IndexDto, KnowledgeBaseDto } from './knowledge-base.dto';
import type { Embedding, IndexStatus } from './storage/knowledge-base.types';
import { NO_LANGUAGE } from './search/searchable-text';
import { VectorStore } from './search/vector-store';
import { VectorStoreRepository } from './search/vector-store.repository';

const embeddingView = (embedding: Embedding | null): EmbeddingDto | null =>
  embedding && { provider: embedding.provider, model: embedding.model, dimensions: embedding.dimensions };

@Injectable()
export class KnowledgeBaseViews {
  constructor(
    private readonly store: VectorStore,
    private readonly vectors: VectorStoreRepository,
    private readonly documents: DocumentRepository,
  ) {}

  async of(row: KnowledgeBaseEntity, principal: Principal): Promise<KnowledgeBaseDto> {
    const documents = await this.documents.within(row.organizationId).counts([row.id]);
    return this.view(row, documents, principal);
  }

  /** The rows belong to the principal's organization. */
  async all(rows: readonly KnowledgeBaseEntity[], principal: Principal): Promise<KnowledgeBaseDto[]> {
    const documents = await this.documents.within(principal.organizationId).counts(rows.map(({ id }) => id));
    return Promise.all(rows.map((row) => this.view(row, documents, principal)));
  }

  private async view(
    row: KnowledgeBaseEntity,
    documents: ReadonlyMap<string, number>,
    { userId }: Principal,
  ): Promise<KnowledgeBaseDto> {
    return {
      id: row.id,
      slug: row.slug,
      name: row.name,
      description: row.description,
      language: row.language,
      language_chosen: row.languageChosen,
      languages: row.languages.filter((language) => language !== NO_LANGUAGE),
      visibility: row.visibility,
      owner: row.ownerId,
      access: row.ownerId === userId ? 'owner' : 'read',
      chunk_size: row.chunkSize,
      chunk_overlap: row.chunkOverlap,
      chunk_count: row.chunkCount,
      document_count: documents.get(row.id) ?? 0,
      embedding: embeddingView(row.embedding),
      hybrid_weight: hybridWeightOf(row),
      rerank: row.rerank,
      passages_shown: row.passagesShown,
      index: await this.indexOf(row),
      version: row.version,
      created_at: row.createdAt,
      updated_at: row.updatedAt,
    };
  }

  private async indexOf(row: KnowledgeBaseEntity): Promise<IndexDto> {
    const { available, unavailable } = this.store;
    const answers = available && row.vectorIndex !== null;
    return {
      modes: answers ? ['keyword', 'vector', 'hybrid'] : ['keyword'],
      status: available ? statusOf(row) : 'ready',
      progress: available ? await this.progressOf(row) : null,
      embedding: answers ? embeddingView(row.vectorEmbedding) : null,
      reason: row.embedding === null ? null : (unavailable ?? row.indexError),
    };
  }

  private async progressOf({ nextVectorIndex, chunkCount }: KnowledgeBaseEntity): Promise<IndexDto['progress']> {
    if (nextVectorIndex === null) return null;
    const current = await this.vectors.size(nextVectorIndex);
    return { current: Math.min(current, chunkCount), total: chunkCount };
  }
}

function statusOf({ nextVectorIndex, indexError }: KnowledgeBaseEntity): IndexStatus {
  if (nextVectorIndex === null) return 'ready';
  return indexError === null ? 'building' : 'failed';
}
