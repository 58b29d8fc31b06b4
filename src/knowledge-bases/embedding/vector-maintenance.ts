import { Injectable } from '@nestjs/common';
import { JobQueue, type Queue } from '../../infrastructure/jobs';
import { VectorGraphs } from '../search/vector-graphs';
import { VectorStore } from '../search/vector-store';
import { VectorStoreRepository } from '../search/vector-store.repository';
import { EmbeddingCacheRepository } from './embedding-cache.repository';
import { IndexBuilder } from './index-builder';
import { VectorIndexRepository } from './vector-index.repository';

const KEY = 'graphs';
const GRAPH_QUEUE: Queue<object> = { name: 'vector-graphs', concurrency: 1, retries: 0, retryDelay: 60 };

/** Enqueues one job when HNSW graphs have to be built or dropped. */
@Injectable()
export class GraphMaintenance {
  constructor(
    private readonly store: VectorStore,
    private readonly graphs: VectorGraphs,
    private readonly jobs: JobQueue,
  ) {
    jobs.declare(GRAPH_QUEUE, ({ signal }) => this.graphs.maintain(signal));
    jobs.sweep(EVERY_MS, () => this.sweep());
  }

  private async sweep(): Promise<void> {
    if (!this.store.available || !this.store.usesGraphs) return;
    // Graphs that another process has built are used from now on.
    await this.graphs.refresh();
    if (!(await this.graphs.needMaintenance())) return;
    await this.jobs.sendLost(GRAPH_QUEUE, [{ key: KEY, data: {} }]);
  }
}

const EVERY_MS = 60_000;
const PRUNE_EVERY = 60;
/** Delete statements of one sweep: a stopping process waits for its sweep. */
const STEPS = 40;

/** Enqueues builds whose job was lost, and deletes vectors that no knowledge base uses. */
@Injectable()
export class VectorMaintenance {
  /** Indexes that were unused at the last sweep: the searches that used them have ended. */
  private unused = new Set<number>();
  private rounds = 0;

  constructor(
    private readonly indexes: VectorIndexRepository,
    private readonly store: VectorStore,
    private readonly vectors: VectorStoreRepository,
    private readonly cache: EmbeddingCacheRepository,
    private readonly builder: IndexBuilder,
    private readonly jobs: JobQueue,
  ) {
    jobs.sweep(EVERY_MS, () => this.sweep());
  }

  async sweep(): Promise<void> {
    if ((this.rounds += 1) % PRUNE_EVERY === 0) await this.cache.prune();
    if (!this.store.available) return;
    await this.indexes.requestMissing();
    await this.builder.repair(await this.indexes.unfinished());
    await this.deleteUnused();
  }

  private async deleteUnused(): Promise<void> {
    const unused = await this.vectors.unused();
    let steps = STEPS;
    for (const index of unused.filter((each) => this.unused.has(each))) {
      while (steps > 0 && !this.jobs.isStopping && (await this.vectors.removeSome(index))) steps -= 1;
    }
    this.unused = new Set(unused);
  }
}
