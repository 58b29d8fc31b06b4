import { Injectable } from '@nestjs/common';
import { OrganizationEndings } from '../../organizations';
import { Transactions } from '../../infrastructure/database';
import { JobQueue, type Queue } from '../../infrastructure/jobs';
import { OrganizationErasure } from './organization-erasure.service';

interface ErasureJob {
  readonly organizationId: string;
}

const QUEUE: Queue<ErasureJob> = {
  name: 'organization-erasure',
  concurrency: 1,
  retries: 20,
  retryDelay: 5,
  timeoutMs: 6 * 60 * 60_000,
};
const SWEEP_MS = 60_000;

/** Erases organizations when their grace period is over. The sweep also finds those whose job was lost. */
@Injectable()
export class OrganizationErasureJobs {
  constructor(
    private readonly endings: OrganizationEndings,
    private readonly transactions: Transactions,
    private readonly jobs: JobQueue,
    erasure: OrganizationErasure,
  ) {
    jobs.declare(QUEUE, async ({ data, signal }) => {
      await erasure.run(data.organizationId, signal);
    });
    jobs.sweep(SWEEP_MS, () => this.enqueue());
  }

  private async enqueue(): Promise<void> {
    const due = await this.jobs.withoutJob(QUEUE, await this.endings.due());
    if (due.length === 0) return;
    const jobs = due.map((organizationId) => ({ key: organizationId, data: { organizationId } }));
    await this.transactions.run((tx) => this.jobs.send(QUEUE, jobs, tx));
    this.jobs.wake(QUEUE);
  }
}
