import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { queryPrepared, type Transaction } from '../../platform/database';
import type { Hit } from './chunk.types';
import { type AnnIndex, VECTOR_QUERY, vectorQuery } from './vector-query';

/** Any constant will do as long as every replica uses the same one. */
const PREPARE_LOCK = 7_365_401_933;

export interface VectorScope {
  readonly knowledgeBaseId: string;
  /** `vectorIndex` of the knowledge base. */
  readonly index: number;
  /** The question, of length 1, made with the embedding of that index. */
  readonly vector: readonly number[];
}

export interface VectorSearch {
  readonly organizationId: string;
  readonly scopes: readonly VectorScope[];
  /** Per knowledge base. */
  readonly topK: number;
  readonly threshold: number;
}

export interface VectorTarget {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly index: number;
}

/** What a document was cut into at one time. */
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
  /** Of length 1. */
  readonly vector: readonly number[];
}

/** pgvector's text form, with the digits that 32 bits have. */
export const vectorText = (vector: readonly number[]): string =>
  `[${vector.map((value) => Number(value.toPrecision(8))).join(',')}]`;

/** Parameters of `vectorQuery`. */
export const vectorParameters = ({ organizationId, scopes, topK, threshold }: VectorSearch): readonly unknown[] => [
  scopes.map(({ knowledgeBaseId }) => knowledgeBaseId),
  scopes.map(({ index }) => index),
  scopes.map(({ vector }) => vectorText(vector)),
  organizationId,
  topK,
  threshold,
];

const EXTENSION = `
  SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
    EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') AS available,
    to_regtype('vector') IS NOT NULL AS visible`;

/** Vectors stay in their rows up to a page, since a search reads them all. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS kb_vectors (
    index_id integer NOT NULL,
    chunk_id bigint NOT NULL CONSTRAINT kb_vectors_chunk_fk REFERENCES kb_chunks (id) ON DELETE CASCADE,
    generation uuid NOT NULL,
    embedding vector NOT NULL,
    CONSTRAINT kb_vectors_pk PRIMARY KEY (index_id, chunk_id)
  ) WITH (toast_tuple_target = 8160)`;
const CHUNK_INDEX = `CREATE INDEX IF NOT EXISTS kb_vectors_chunk_idx ON kb_vectors (chunk_id)`;

/** Vectors of one knowledge base's chunk that no index names any more are not written: the knowledge base's row is asked and held. */
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

/** In the order of their ids, so that a builder goes on from where it is instead of passing all that is done each time. */
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

/** Walks from one index to the next along the key instead of through all rows. */
const FORGOTTEN = `
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

/** Vectors of chunks, in a table that exists only where pgvector does. Nothing here may be asked before `createTable`. */
@Injectable()
export class VectorStoreRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** False before the migrations, as operator commands may find it. */
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

  /** Rejects with what the server says when it refuses. */
  createExtension(): Promise<void> {
    return this.exclusively('CREATE EXTENSION IF NOT EXISTS vector');
  }

  createTable(): Promise<void> {
    return this.exclusively(TABLE, CHUNK_INDEX);
  }

  /** Nearest chunks of each knowledge base, all together by similarity. One round trip. */
  search(query: VectorSearch, graphs: readonly AnnIndex[]): Promise<Hit[]> {
    const parameters = vectorParameters(query);
    // A statement with graphs is made for its indexes: there is no end of such, so none of them is kept.
    if (graphs.length > 0) return this.dataSource.query<Hit[]>(vectorQuery(graphs), [...parameters]);
    return queryPrepared<Hit>(this.dataSource, VECTOR_QUERY, parameters);
  }

  /** Leaves out chunks that are gone, and all of them when the knowledge base no longer uses the index. */
  async add({ organizationId, knowledgeBaseId, index }: VectorTarget, vectors: readonly ChunkVector[]): Promise<void> {
    await this.dataSource.query(ADD, [
      knowledgeBaseId,
      organizationId,
      index,
      vectors.map(({ chunkId }) => chunkId),
      vectors.map(({ vector }) => vectorText(vector)),
    ]);
  }

  /** Chunks of the knowledge base without a vector in the index, whose ids come after one, at most `limit`. */
  missing(
    { organizationId, knowledgeBaseId, index }: VectorTarget,
    after: string,
    limit: number,
    tx?: Transaction,
  ): Promise<PlainChunk[]> {
    const parameters = [knowledgeBaseId, organizationId, index, after, limit];
    return (tx ?? this.dataSource.manager).query<PlainChunk[]>(MISSING, parameters);
  }

  /** Chunks of one generation of a document without a vector in the index, at most `limit`. */
  missingOf(
    { documentId, generation, organizationId }: Generation,
    index: number,
    limit: number,
  ): Promise<PlainChunk[]> {
    const parameters = [documentId, generation, organizationId, index, limit];
    return this.dataSource.query<PlainChunk[]>(MISSING_OF_DOCUMENT, parameters);
  }

  /** Chunks of one generation of a document: those with a vector, and all. */
  async progressOf(
    { documentId, generation, organizationId }: Generation,
    index: number,
  ): Promise<{ current: number; total: number }> {
    const parameters = [documentId, generation, organizationId, index];
    const [row] = await this.dataSource.query<[{ current: number; total: number }]>(COUNT_OF_DOCUMENT, parameters);
    return row;
  }

  /** How many vectors the index has. */
  async size(index: number): Promise<number> {
    const [row] = await this.dataSource.query<[{ size: number }]>(SIZE, [index]);
    return row.size;
  }

  /** False when none of the index's vectors is left. */
  async removeSome(index: number): Promise<boolean> {
    const [row] = await this.dataSource.query<[{ removed: number }]>(REMOVE_SOME, [index]);
    return row.removed > 0;
  }

  /** Indexes that no knowledge base names. */
  async forgotten(): Promise<number[]> {
    const rows = await this.dataSource.query<{ index: number }[]>(FORGOTTEN);
    return rows.map(({ index }) => index);
  }

  /** Several replicas may start at once, and `IF NOT EXISTS` alone loses that race. */
  private async exclusively(...statements: readonly string[]): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [PREPARE_LOCK]);
      for (const statement of statements) await tx.query(statement);
    });
  }
}
