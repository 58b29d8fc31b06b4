import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DATABASE, type OpenDatabase, type Transaction } from '../../infrastructure/database';
import { vectorText } from './vector-query';

/** Arbitrary, but the same in every replica. */
const PREPARE_LOCK = 7_365_401_933;

export interface VectorTarget {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly index: number;
}

/** The chunks of a document from one processing. */
export interface Generation {
  readonly organizationId: string;
  readonly documentId: string;
  readonly generation: string;
}

/** A chunk without a vector. */
export interface PlainChunk {
  readonly id: string;
  readonly section: string;
  readonly table_header: string | null;
  readonly text: string;
}

export interface ChunkVector {
  readonly chunkId: string;
  /** Vector of length 1. */
  readonly vector: readonly number[];
}

const EXTENSION = `
  SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
    EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') AS available,
    to_regtype('vector') IS NOT NULL AS visible`;

/** A search reads every vector, so they stay in their rows (no TOAST) up to the size of a page. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS kb_vectors (
    index_id integer NOT NULL,
    chunk_id bigint NOT NULL CONSTRAINT kb_vectors_chunk_fk REFERENCES kb_chunks (id) ON DELETE CASCADE,
    generation uuid NOT NULL,
    embedding vector NOT NULL,
    CONSTRAINT kb_vectors_pk PRIMARY KEY (index_id, chunk_id)
  ) WITH (toast_tuple_target = 8160)`;
const CHUNK_INDEX = `CREATE INDEX IF NOT EXISTS kb_vectors_chunk_idx ON kb_vectors (chunk_id)`;

/** Writes nothing for an index that the knowledge base no longer uses. The row lock keeps it in use until the commit. */
const ADD = `
  WITH kb AS (
    SELECT id FROM knowledge_bases
    WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL AND $3::integer IN (vector_index, next_vector_index)
    FOR SHARE
  ), chunk AS (
    SELECT c.id, c.generation, i.vector
    FROM unnest($4::bigint[], $5::text[]) AS i (id, vector)
    JOIN kb_chunks c ON c.id = i.id JOIN kb ON kb.id = c.knowledge_base_id
    FOR KEY SHARE OF c
  )
  INSERT INTO kb_vectors (index_id, chunk_id, generation, embedding)
  SELECT $3, id, generation, vector::vector FROM chunk ORDER BY id
  ON CONFLICT DO NOTHING`;

/** Chunks without a vector in the order of ids, so that a builder continues behind the last one. */
const MISSING = `
  SELECT c.id, c.section, c.table_header, c.text FROM kb_chunks c
  WHERE c.knowledge_base_id = $1 AND c.organization_id = $2 AND c.id > $4
    AND NOT EXISTS (SELECT FROM kb_vectors v WHERE v.index_id = $3 AND v.chunk_id = c.id)
  ORDER BY c.id LIMIT $5`;

const MISSING_OF_DOCUMENT = `
  SELECT c.id, c.section, c.table_header, c.text FROM kb_chunks c
  WHERE c.document_id = $1 AND c.generation = $2 AND c.organization_id = $3
    AND NOT EXISTS (SELECT FROM kb_vectors v WHERE v.index_id = $4 AND v.chunk_id = c.id)
  ORDER BY c.id LIMIT $5`;

const COUNT_OF_DOCUMENT = `
  SELECT count(*)::int AS total, count(v.chunk_id)::int AS current
  FROM kb_chunks c LEFT JOIN kb_vectors v ON v.index_id = $4 AND v.chunk_id = c.id
  WHERE c.document_id = $1 AND c.generation = $2 AND c.organization_id = $3`;

const SIZE = `SELECT count(*)::int AS size FROM kb_vectors WHERE index_id = $1`;

const REMOVE_SOME = `
  WITH gone AS (
    DELETE FROM kb_vectors WHERE index_id = $1 AND chunk_id IN (
      SELECT chunk_id FROM kb_vectors WHERE index_id = $1 ORDER BY chunk_id LIMIT 500
    ) RETURNING 1
  )
  SELECT count(*)::int AS removed FROM gone`;

/** Loose index scan: steps from one index id to the next along the key instead of through all rows. */
const UNUSED = `
  WITH RECURSIVE used AS (
    (SELECT index_id FROM kb_vectors ORDER BY index_id LIMIT 1)
    UNION ALL
    SELECT (SELECT v.index_id FROM kb_vectors v WHERE v.index_id > used.index_id ORDER BY v.index_id LIMIT 1)
    FROM used WHERE used.index_id IS NOT NULL
  )
  SELECT index_id AS index FROM used WHERE index_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM knowledge_bases kb WHERE used.index_id IN (kb.vector_index, kb.next_vector_index))`;

export interface Extension {
  /** Version of pgvector in this database; null when it is not installed. */
  readonly installed: string | null;
  /** Whether the server could install it. */
  readonly available: boolean;
  /** Whether its types are found without naming their schema. */
  readonly visible: boolean;
}

/** Vectors of chunks, in a table that exists only where pgvector does. Call `createTable` first. */
@Injectable()
export class VectorStoreRepository {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(DATABASE) private readonly database: Pick<OpenDatabase, 'asOwner' | 'enforceRowSecurity'>,
  ) {}

  /** False before the migrations have run. */
  async hasChunks(): Promise<boolean> {
    const [{ found }] = await this.dataSource.query<[{ found: boolean }]>(
      `SELECT to_regclass('kb_chunks') IS NOT NULL AS found`,
    );
    return found;
  }

  async extension(): Promise<Extension> {
    const [row] = await this.dataSource.query<[Extension]>(EXTENSION);
    return row;
  }

  /** Rejects with the error of the server when the role may not. */
  createExtension(): Promise<void> {
    return this.exclusively('CREATE EXTENSION IF NOT EXISTS vector');
  }

  async createTable(): Promise<void> {
    const [{ found }] = await this.dataSource.query<[{ found: boolean }]>(
      `SELECT to_regclass('kb_vectors') IS NOT NULL AS found`,
    );
    if (found) return;
    await this.exclusively(TABLE, CHUNK_INDEX);
    await this.database.enforceRowSecurity();
  }

  /** Skips deleted chunks, and all of them when the knowledge base no longer uses the index. */
  async add({ organizationId, knowledgeBaseId, index }: VectorTarget, vectors: readonly ChunkVector[]): Promise<void> {
    await this.dataSource.query(ADD, [
      knowledgeBaseId,
      organizationId,
      index,
      vectors.map(({ chunkId }) => chunkId),
      vectors.map(({ vector }) => vectorText(vector)),
    ]);
  }

  /** Chunks of the knowledge base without a vector in the index, with ids after `after`. */
  missing(
    { organizationId, knowledgeBaseId, index }: VectorTarget,
    after: string,
    limit: number,
    tx?: Transaction,
  ): Promise<PlainChunk[]> {
    const parameters = [knowledgeBaseId, organizationId, index, after, limit];
    return (tx ?? this.dataSource.manager).query<PlainChunk[]>(MISSING, parameters);
  }

  /** Chunks of one generation without a vector in the index. */
  missingOf(
    { documentId, generation, organizationId }: Generation,
    index: number,
    limit: number,
  ): Promise<PlainChunk[]> {
    const parameters = [documentId, generation, organizationId, index, limit];
    return this.dataSource.query<PlainChunk[]>(MISSING_OF_DOCUMENT, parameters);
  }

  /** Chunks of one generation: with a vector (`current`) and all (`total`). */
  async progressOf(
    { documentId, generation, organizationId }: Generation,
    index: number,
  ): Promise<{ current: number; total: number }> {
    const parameters = [documentId, generation, organizationId, index];
    const [row] = await this.dataSource.query<[{ current: number; total: number }]>(COUNT_OF_DOCUMENT, parameters);
    return row;
  }

  async size(index: number): Promise<number> {
    const [row] = await this.dataSource.query<[{ size: number }]>(SIZE, [index]);
    return row.size;
  }

  /** False when the index has no vectors left. */
  async removeSome(index: number): Promise<boolean> {
    const [row] = await this.dataSource.query<[{ removed: number }]>(REMOVE_SOME, [index]);
    return row.removed > 0;
  }

  /** Indexes that no knowledge base uses. */
  async unused(): Promise<number[]> {
    const rows = await this.dataSource.query<{ index: number }[]>(UNUSED);
    return rows.map(({ index }) => index);
  }

  /** Replicas may start at once, and `IF NOT EXISTS` alone loses that race. */
  private async exclusively(...statements: readonly string[]): Promise<void> {
    await this.database.asOwner((owner) =>
      owner.transaction(async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock($1)', [PREPARE_LOCK]);
        for (const statement of statements) await tx.query(statement);
      }),
    );
  }
}
