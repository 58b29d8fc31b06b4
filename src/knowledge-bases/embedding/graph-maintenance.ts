import { Injectable } from '@nestjs/common';
import { Transactions } from '../../infrastructure/database';
import { JobQueue, type Queue } from '../../infrastructure/jobs';
import { VectorGraphs } from '../search/vectors/vector-graphs';
import { VectorStore } from '../search/vectors/vector-store';

const EVERY_MS = 60_000;
const KEY = 'graphs';
const GRAPH_QUEUE: Queue<object> = { name: 'vector-graphs', concurrency: 1, retries: 0, retryDelay: 60 };

/** Enqueues one job when HNSW graphs have to be built or dropped. */
@Injectable()
export class GraphMaintenance {
  constructor(
    private readonly store: VectorStore,
    private readonly graphs: VectorGraphs,
    private readonly transactions: Transactions,
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
    if ((await this.jobs.withoutJob(GRAPH_QUEUE, [KEY])).length === 0) return;
    await this.transactions.run((tx) => this.jobs.send(GRAPH_QUEUE, [{ key: KEY, data: {} }], tx));
  }
}
