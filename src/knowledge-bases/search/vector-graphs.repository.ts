import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ANN_HALF, annType, type AnnIndex } from './vector-query';
import { DATABASE, type OpenDatabase } from '../../infrastructure/database';

/** Vector indexes that are too large for a scan and have few enough dimensions for a graph. */
const WANTED = `
  SELECT kb.vector_index AS index, (kb.vector_embedding ->> 'dimensions')::int AS dimensions
  FROM knowledge_bases kb
  WHERE kb.vector_index IS NOT NULL AND kb.deleted_at IS NULL AND kb.chunk_count >= $1
    AND (kb.vector_embedding ->> 'dimensions')::int <= ${ANN_HALF}`;

/** An interrupted build leaves an index that is not valid. */
const EXISTING = `
  SELECT c.relname AS name, i.indisvalid AS valid
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = to_regclass('kb_vectors') AND c.relname ~ '^kb_vectors_graph_[0-9]+_[0-9]+$'`;

export interface ExistingGraph extends AnnIndex {
  readonly valid: boolean;
}

const nameOf = ({ index, dimensions }: AnnIndex): string => `kb_vectors_graph_${Number(index)}_${Number(dimensions)}`;

/** HNSW graphs: one for each large vector index, over its own vectors only. */
@Injectable()
export class VectorGraphRepository {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(DATABASE) private readonly database: Pick<OpenDatabase, 'asOwner'>,
  ) {}

  wanted(leastChunks: number): Promise<AnnIndex[]> {
    return this.dataSource.query<AnnIndex[]>(WANTED, [leastChunks]);
  }

  async existing(): Promise<ExistingGraph[]> {
    const rows = await this.dataSource.query<{ name: string; valid: boolean }[]>(EXISTING);
    return rows.map(({ name, valid }) => {
      const [dimensions, index] = name.split('_').reverse().map(Number);
      return { index: index ?? 0, dimensions: dimensions ?? 0, valid };
    });
  }

  /** Takes minutes for a large index; writes continue meanwhile. */
  async build(graph: AnnIndex, signal: AbortSignal): Promise<void> {
    const type = annType(graph.dimensions);
    const operators = type.startsWith('half') ? 'halfvec_ip_ops' : 'vector_ip_ops';
    await this.withoutTimeLimit(
      `
      CREATE INDEX CONCURRENTLY ${nameOf(graph)} ON kb_vectors
      USING hnsw ((embedding::${type}) ${operators}) WITH (m = 16, ef_construction = 200)
      WHERE index_id = ${Number(graph.index)}`,
      signal,
    );
    // Without statistics the planner takes the table for small and sorts instead of using the graph.
    await this.withoutTimeLimit('ANALYZE kb_vectors', signal);
  }

  async drop(graph: AnnIndex, signal: AbortSignal): Promise<void> {
    await this.withoutTimeLimit(`DROP INDEX CONCURRENTLY IF EXISTS ${nameOf(graph)}`, signal);
  }

  /** Runs on a connection of its own, outside transactions. An abort cancels the statement on the server. */
  private async withoutTimeLimit(statement: string, signal: AbortSignal): Promise<void> {
    let cancel = (): void => undefined;
    try {
      await this.database.asOwner(async (alone) => {
        const [{ pid }] = await alone.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
        const ended = (): Promise<unknown> =>
          this.database.asOwner((other) => other.query('SELECT pg_cancel_backend($1)', [pid]));
        cancel = () => void ended().catch(() => undefined);
        signal.throwIfAborted();
        signal.addEventListener('abort', cancel, { once: true });
        await alone.query(statement);
      });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}
