import { Column, Entity, Index, Unique } from 'typeorm';
import { VersionedEntity } from '../../infrastructure/database';
import type { Embedding, KnowledgeBaseVisibility } from './knowledge-base.types';

/** Ingestion does not count as a change. */
@Entity('knowledge_bases')
@Unique('knowledge_bases_slug_uq', ['organizationId', 'slug'])
@Unique('knowledge_bases_alias_uq', ['organizationId', 'alias'])
@Index('knowledge_bases_index_version_idx', ['indexVersion'])
@Index('knowledge_bases_owner_idx', ['organizationId', 'ownerId'])
export class KnowledgeBaseEntity extends VersionedEntity {
  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('text')
  slug!: string;

  /** Its id on the server that it was imported from; assistants may refer to it. */
  @Column('text', { nullable: true })
  alias!: string | null;

  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;

  /** Language of the documents, or of the first one; null until a document decides it. */
  @Column('text', { nullable: true })
  language!: string | null;

  /** True: the owner says the language of all documents. False: each document has its own. */
  @Column('boolean', { name: 'language_chosen', default: true })
  languageChosen!: boolean;

  /** Languages that passages are indexed in, in the order of their appearance. */
  @Column('text', { array: true, default: () => `'{}'` })
  languages!: string[];

  /** Form of the keyword index. An older one than `INDEX_VERSION` is replaced in the background. */
  @Column('integer', { name: 'index_version', default: 1 })
  indexVersion!: number;

  @Column('text', { default: 'private' })
  visibility!: KnowledgeBaseVisibility;

  /** Most characters per chunk. */
  @Column('integer', { name: 'chunk_size' })
  chunkSize!: number;

  @Column('integer', { name: 'chunk_overlap' })
  chunkOverlap!: number;

  @Column('integer', { name: 'chunk_count', default: 0 })
  chunkCount!: number;

  /** Words of all chunks, for the mean length in BM25. The driver gives bigint as a string. */
  @Column('bigint', { name: 'token_count', default: 0 })
  tokenCount!: string;

  /** The embedding that the owner chose; null: keyword search only. */
  @Column('jsonb', { nullable: true })
  embedding!: Embedding | null;

  /** Id of the vector index in use, complete for all current chunks; null without one. */
  @Column('integer', { name: 'vector_index', nullable: true })
  vectorIndex!: number | null;

  /** Embedding of the index in use. Differs from `embedding` while another index is being built. */
  @Column('jsonb', { name: 'vector_embedding', nullable: true })
  vectorEmbedding!: Embedding | null;

  /** Id of the vector index that is being built for `embedding`. */
  @Column('integer', { name: 'next_vector_index', nullable: true })
  nextVectorIndex!: number | null;

  /** Why the last build failed. */
  @Column('text', { name: 'index_error', nullable: true })
  indexError!: string | null;

  /** Weight of the vectors in a hybrid ranking, 0..1; null: by model. */
  @Column('double precision', { name: 'hybrid_weight', nullable: true })
  hybridWeight!: number | null;

  /** The organization's reranker sorts what is found. */
  @Column('boolean', { default: false })
  rerank!: boolean;

  /** Readers of an answer may read the passages that it used. */
  @Column('boolean', { name: 'passages_shown', default: true })
  passagesShown!: boolean;

  /** Set at deletion. A job then removes the documents. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
