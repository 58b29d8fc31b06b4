import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../platform/database';
import type { Embedding } from '../storage/knowledge-base.types';

export interface KnowledgeBaseRef {
  readonly organizationId: string;
  readonly id: string;
}

/** Which vectors a knowledge base has and wants; `KnowledgeBaseEntity` says what each means. */
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

/** Knowledge bases that were made, or lost their vectors, while the database had no place for them. */
const ADOPT = `
  UPDATE knowledge_bases SET next_vector_index = nextval('kb_vector_indexes'), index_error = NULL
  WHERE deleted_at IS NULL AND embedding IS NOT NULL AND vector_index IS NULL AND next_vector_index IS NULL`;

const UNFINISHED = `
  SELECT organization_id AS "organizationId", id FROM knowledge_bases
  WHERE deleted_at IS NULL AND next_vector_index IS NOT NULL AND index_error IS NULL`;

/** The vector indexes of knowledge bases, by number: the vectors themselves are the vector store's. */
@Injectable()
export class VectorIndexRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Null when the knowledge base is gone. */
  async state({ id, organizationId }: KnowledgeBaseRef, tx?: Transaction): Promise<VectorIndexState | null> {
    const rows = await this.on(tx).query<VectorIndexState[]>(STATE, [id, organizationId]);
    return rows[0] ?? null;
  }

  /** The state, held until the transaction ends. */
  async locked({ id, organizationId }: KnowledgeBaseRef, tx: Transaction): Promise<VectorIndexState | null> {
    const rows = await tx.query<VectorIndexState[]>(`${STATE} FOR UPDATE`, [id, organizationId]);
    return rows[0] ?? null;
  }

  async write({ id, organizationId }: KnowledgeBaseRef, state: VectorIndexState, tx: Transaction): Promise<void> {
    await tx.query(WRITE, [
      id,
      organizationId,
      state.embedding === null ? null : JSON.stringify(state.embedding),
      state.vectorIndex,
      state.vectorEmbedding === null ? null : JSON.stringify(state.vectorEmbedding),
      state.nextVectorIndex,
    ]);
  }

  /** A number that no index has had. */
  async number(tx?: Transaction): Promise<number> {
    const [row] = await this.on(tx).query<[{ number: number }]>(
      `SELECT nextval('kb_vector_indexes')::integer AS number`,
    );
    return row.number;
  }

  /** Says why an index is not being built; nothing when it is no longer wanted. */
  async fail({ id, organizationId }: KnowledgeBaseRef, index: number, reason: string): Promise<void> {
    await this.dataSource.query(FAILED, [id, organizationId, index, reason]);
  }

  async adopt(): Promise<void> {
    await this.dataSource.query(ADOPT);
  }

  /** Those of every organization whose index should be being built. */
  unfinished(): Promise<KnowledgeBaseRef[]> {
    return this.dataSource.query<KnowledgeBaseRef[]>(UNFINISHED);
  }

  private on(tx: Transaction | undefined): Transaction {
    return tx ?? this.dataSource.manager;
  }
}
