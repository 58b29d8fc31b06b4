import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../infrastructure/database';
import type { Embedding } from '../storage/knowledge-base.types';
import type { RowRef } from '../storage/row-queue';

/** Columns of `KnowledgeBaseEntity` about its vector indexes. */
export interface VectorIndexState {
  readonly embedding: Embedding | null;
  readonly vectorIndex: number | null;
  readonly vectorEmbedding: Embedding | null;
  readonly nextVectorIndex: number | null;
}

const STATE = `
  SELECT embedding, vector_index AS "vectorIndex", vector_embedding AS "vectorEmbedding",
    next_vector_index AS "nextVectorIndex"
  FROM knowledge_bases WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL`;

const WRITE = `
  UPDATE knowledge_bases
  SET embedding = $3, vector_index = $4, vector_embedding = $5, next_vector_index = $6, index_error = NULL
  WHERE id = $1 AND organization_id = $2`;

const FAILED = `
  UPDATE knowledge_bases SET index_error = $4 WHERE id = $1 AND organization_id = $2 AND next_vector_index = $3`;

/** Requests indexes for knowledge bases that have none because the database had no vector support. */
const REQUEST_MISSING = `
  UPDATE knowledge_bases SET next_vector_index = nextval('kb_vector_indexes'), index_error = NULL
  WHERE deleted_at IS NULL AND embedding IS NOT NULL AND vector_index IS NULL AND next_vector_index IS NULL`;

const UNFINISHED = `
  SELECT organization_id AS "organizationId", id FROM knowledge_bases
  WHERE deleted_at IS NULL AND next_vector_index IS NOT NULL AND index_error IS NULL`;

/** Which vector index each knowledge base uses and builds. The vectors are in `VectorStoreRepository`. */
@Injectable()
export class VectorIndexRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Null when the knowledge base is gone. */
  async state({ id, organizationId }: RowRef): Promise<VectorIndexState | null> {
    const [row] = await this.dataSource.query<VectorIndexState[]>(STATE, [id, organizationId]);
    return row ?? null;
  }

  /** Takes the row lock. */
  async locked({ id, organizationId }: RowRef, tx: Transaction): Promise<VectorIndexState | null> {
    const rows = await tx.query<VectorIndexState[]>(`${STATE} FOR UPDATE`, [id, organizationId]);
    return rows[0] ?? null;
  }

  async write({ id, organizationId }: RowRef, state: VectorIndexState, tx: Transaction): Promise<void> {
    await tx.query(WRITE, [
      id,
      organizationId,
      state.embedding === null ? null : JSON.stringify(state.embedding),
      state.vectorIndex,
      state.vectorEmbedding === null ? null : JSON.stringify(state.vectorEmbedding),
      state.nextVectorIndex,
    ]);
  }

  /** Id of a new index. */
  async nextId(tx: Transaction): Promise<number> {
    const [row] = await tx.query<[{ id: number }]>(`SELECT nextval('kb_vector_indexes')::integer AS id`);
    return row.id;
  }

  /** Stores why the build of an index failed, if it is still wanted. */
  async fail({ id, organizationId }: RowRef, index: number, reason: string): Promise<void> {
    await this.dataSource.query(FAILED, [id, organizationId, index, reason]);
  }

  async requestMissing(): Promise<void> {
    await this.dataSource.query(REQUEST_MISSING);
  }

  /** Knowledge bases of every organization with an index to build. */
  unfinished(): Promise<RowRef[]> {
    return this.dataSource.query<RowRef[]>(UNFINISHED);
  }
}
