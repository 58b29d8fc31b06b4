import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { Embedding, KnowledgeBaseVisibility } from './knowledge-base.types';

@Entity('knowledge_bases')
@Unique('knowledge_bases_slug_uq', ['organizationId', 'slug'])
@Index('knowledge_bases_owner_idx', ['organizationId', 'ownerId'])
export class KnowledgeBaseEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'knowledge_bases_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('text')
  slug!: string;

  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;

  /** Language of its documents; null until the first document decides it. */
  @Column('text', { nullable: true })
  language!: string | null;

  @Column('text', { default: 'private' })
  visibility!: KnowledgeBaseVisibility;

  /** Characters per chunk, at most. */
  @Column('integer', { name: 'chunk_size' })
  chunkSize!: number;

  @Column('integer', { name: 'chunk_overlap' })
  chunkOverlap!: number;

  @Column('integer', { name: 'chunk_count', default: 0 })
  chunkCount!: number;

  /** Words over all chunks, which gives BM25 its average length; bigint arrives as a string. */
  @Column('bigint', { name: 'token_count', default: 0 })
  tokenCount!: string;

  /** What its owner wants it embedded with; null: searched by words only. */
  @Column('jsonb', { nullable: true })
  embedding!: Embedding | null;

  /** Names the vectors that answer, complete for every chunk in force; null: there are none. */
  @Column('integer', { name: 'vector_index', nullable: true })
  vectorIndex!: number | null;

  /** What the vectors that answer were made with: differs from `embedding` while others are built beside them. */
  @Column('jsonb', { name: 'vector_embedding', nullable: true })
  vectorEmbedding!: Embedding | null;

  /** Names the vectors that are being built for `embedding`. */
  @Column('integer', { name: 'next_vector_index', nullable: true })
  nextVectorIndex!: number | null;

  /** Why the last attempt to build them stopped. */
  @Column('text', { name: 'index_error', nullable: true })
  indexError!: string | null;

  /** Share of the vectors in a hybrid ranking, 0..1; null: by model. */
  @Column('double precision', { name: 'hybrid_weight', nullable: true })
  hybridWeight!: number | null;

  /** Set when it is being taken apart: nobody sees it any more. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;

  /** Counts what people changed, from 1; what taking in documents finds out is no version. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
