import { Injectable } from '@nestjs/common';
import { Transactions } from '../../infrastructure/database';
import { JobQueue, type Queue } from '../../infrastructure/jobs';
import { RetentionRepository } from './retention.repository';
import { Retention } from './retention.service';

interface RetentionJob {
  readonly organizationId: string;
}

const QUEUE: Queue<RetentionJob> = {
  name: 'retention',
  concurrency: 1,
  retries: 3,
  retryDelay: 60,
  timeoutMs: 60 * 60_000,
};
const EVERY_MS = 60 * 60_000;

/** Applies the retention of each organization once an hour, by one process at a time. */
@Injectable()
export class RetentionJobs {
  constructor(
    private readonly old: RetentionRepository,
    private readonly transactions: Transactions,
    private readonly jobs: JobQueue,
    retention: Retention,
  ) {
    jobs.declare(QUEUE, ({ data, signal }) => retention.apply(data.organizationId, signal));
    jobs.sweep(EVERY_MS, ({ first }) => (first ? Promise.resolve() : this.enqueue()));
  }

  private async enqueue(): Promise<void> {
    const due = await this.jobs.withoutJob(QUEUE, await this.old.organizations());
    if (due.length === 0) return;
    const jobs = due.map((organizationId) => ({ key: organizationId, data: { organizationId } }));
    await this.transactions.run((tx) => this.jobs.send(QUEUE, jobs, tx));
    this.jobs.wake(QUEUE);
  }
}
