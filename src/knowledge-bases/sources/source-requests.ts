import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { type JobHandler, JobQueue } from '../../infrastructure/jobs';
import { BatchPoller } from '../ingestion/batch-poller';
import { RowQueue, type RowRef } from '../storage/row-queue';
import { SourceRepository } from './storage/source.repository';

const QUEUE = { name: 'source-refresh', concurrency: 2, retries: 5, retryDelay: 2, timeoutMs: 5 * 60_000 };

/** The queue of sources to fetch, and waiting for them. */
@Injectable()
export class SourceRequests {
  private readonly queue: RowQueue;
  private readonly untilFetched: BatchPoller;

  constructor(
    jobs: JobQueue,
    sources: SourceRepository,
    private readonly transactions: Transactions,
  ) {
    this.queue = new RowQueue(jobs, QUEUE);
    this.untilFetched = new BatchPoller(
      (ids) => sources.unfinishedOf(ids),
      () => jobs.isStopping,
    );
  }

  onRefresh(handler: JobHandler<RowRef>): void {
    this.queue.handle(handler);
  }

  /** Part of the transaction that makes the sources wait. Call `wake` after the commit. */
  send(sources: readonly RowRef[], tx: Transaction): Promise<void> {
    return this.queue.send(sources, tx);
  }

  wake(): void {
    this.queue.wake();
  }

  /** Enqueues waiting sources without a job. */
  async repair(waiting: readonly RowRef[]): Promise<void> {
    await this.queue.repair(waiting, this.transactions);
  }

  settled(id: string, limitMs: number): Promise<void> {
    return this.untilFetched.wait([id], limitMs);
  }

  /** Tells waiting requests that this process has finished a source. */
  notify(): void {
    this.untilFetched.notify();
  }
}
