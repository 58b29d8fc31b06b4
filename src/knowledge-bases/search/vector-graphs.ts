import { Inject, Injectable, Logger } from '@nestjs/common';
import { DATABASE, type OpenDatabase } from '../../infrastructure/database';
import type { AnnIndex } from './vector-query';
import { type ExistingGraph, VectorGraphRepository } from './vector-graphs.repository';

/** Chunks. A smaller index is scanned fast enough. */
const LEAST_CHUNKS = 20_000;
/** pgvector before 0.8 has no iterative scan, so a filter after the graph search loses hits. */
const FIRST_VERSION = [0, 8] as const;

/** Knows and maintains the HNSW graphs. The embedded database has none: adding a vector to a graph takes it 10 ms. */
@Injectable()
export class VectorGraphs {
  private readonly log = new Logger(VectorGraphs.name);
  private known = new Map<number, AnnIndex>();

  constructor(
    private readonly graphs: VectorGraphRepository,
    @Inject(DATABASE) private readonly database: Pick<OpenDatabase, 'engine'>,
  ) {}

  /** Whether this database and pgvector version use graphs. */
  isWorthwhile(version: string): boolean {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const recent = major > FIRST_VERSION[0] || (major === FIRST_VERSION[0] && minor >= FIRST_VERSION[1]);
    return this.database.engine === 'server' && recent;
  }

  of(indexes: readonly number[]): AnnIndex[] {
    return [...new Set(indexes)].flatMap((index) => this.known.get(index) ?? []);
  }

  /** Reads which graphs exist, those of other replicas included. An index without a graph is scanned. */
  async refresh(): Promise<void> {
    const existing = await this.graphs.existing();
    this.known = new Map(existing.filter(({ valid }) => valid).map((graph) => [graph.index, graph]));
  }

  async needMaintenance(leastChunks = LEAST_CHUNKS): Promise<boolean> {
    const { missing, useless } = await this.plan(leastChunks);
    return missing.length + useless.length > 0;
  }

  /** Drops broken and unused graphs, then builds missing ones, one at a time. */
  async maintain(signal: AbortSignal, leastChunks = LEAST_CHUNKS): Promise<void> {
    const { missing, useless } = await this.plan(leastChunks);
    for (const graph of useless) {
      signal.throwIfAborted();
      await this.graphs.drop(graph, signal);
    }
    for (const graph of missing) {
      signal.throwIfAborted();
      const started = performance.now();
      await this.graphs.build(graph, signal);
      const ms = Math.round(performance.now() - started);
      this.log.log({ msg: 'an HNSW graph was built', vector_index: graph.index, ms });
    }
    await this.refresh();
  }

  private async plan(leastChunks: number): Promise<{ missing: AnnIndex[]; useless: ExistingGraph[] }> {
    const wanted = await this.graphs.wanted(leastChunks);
    const existing = await this.graphs.existing();
    const has = (graphs: readonly AnnIndex[], index: number): boolean => graphs.some((each) => each.index === index);
    const usable = existing.filter(({ valid }) => valid);
    return {
      missing: wanted.filter(({ index }) => !has(usable, index)),
      useless: existing.filter(({ valid, index }) => !valid || !has(wanted, index)),
    };
  }
}
