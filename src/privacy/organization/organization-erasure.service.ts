import { uuidv7 } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { BlobStore } from '../../files';
import { AcrossOrganizations, Transactions } from '../../infrastructure/database';
import { JobQueue, type Queue } from '../../infrastructure/jobs';
import { type ErasedOrganization, OrganizationEndings } from '../../organizations';
import { OrganizationRowsRepository } from './organization-rows.repository';

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

/**
 * Erases an organization whose grace period is over: rows of every table batch by batch, then files, members and the
 * organization itself. Each batch is a transaction that also counts it, so a process that dies leaves whole batches, and
 * the next try goes on.
 */
@Injectable()
export class OrganizationErasure {
  private readonly logger = new Logger('OrganizationErasure');

  constructor(
    private readonly endings: OrganizationEndings,
    private readonly rows: OrganizationRowsRepository,
    private readonly blobs: BlobStore,
    private readonly transactions: Transactions,
  ) {}

  /** Null when it was restored, is not due or was erased before. */
  @AcrossOrganizations('jobs')
  async run(organizationId: string, signal: AbortSignal): Promise<ErasedOrganization | null> {
    if ((await this.endings.beginErasure(organizationId)) === null) return null;
    await this.rows.forgetCaller(organizationId, uuidv7());
    for (const step of await this.rows.steps()) {
      const counted = this.counting(organizationId, step.table);
      for (let rows = 1; rows > 0;) {
        signal.throwIfAborted();
        rows = await this.rows.deleteSome(step, organizationId, counted);
      }
    }
    await this.blobs.removeSpace(['files', organizationId]);
    await this.blobs.removeSpace(['knowledge-bases', organizationId]);
    await this.removeMembers(organizationId, signal);
    const report = await this.endings.finish(organizationId);
    if (report !== null) this.logger.log({ msg: 'organization erased', id: organizationId, erased: report.erased });
    return report;
  }

  private counting(organizationId: string, table: string) {
    return (rows: number, tx: Parameters<OrganizationEndings['countErased']>[3]): Promise<void> =>
      this.endings.countErased(organizationId, table, rows, tx);
  }

  private async removeMembers(organizationId: string, signal: AbortSignal): Promise<void> {
    for (const userId of await this.rows.members(organizationId)) {
      signal.throwIfAborted();
      await this.transactions.run(async (tx) => {
        const isAccountGone = await this.rows.removeMember(organizationId, userId, tx);
        await this.endings.countErased(organizationId, 'members', 1, tx);
        if (isAccountGone) await this.endings.countErased(organizationId, 'users', 1, tx);
      });
    }
  }
}

/** Erases organizations when their grace period is over. The sweep also finds those whose job was lost. */
@Injectable()
export class OrganizationErasureJobs {
  constructor(
    private readonly endings: OrganizationEndings,
    private readonly jobs: JobQueue,
    erasure: OrganizationErasure,
  ) {
    jobs.declare(QUEUE, async ({ data, signal }) => {
      await erasure.run(data.organizationId, signal);
    });
    jobs.sweep(SWEEP_MS, () => this.enqueue());
  }

  private async enqueue(): Promise<void> {
    const due = await this.endings.due();
    const jobs = due.map((organizationId) => ({ key: organizationId, data: { organizationId } }));
    await this.jobs.sendLost(QUEUE, jobs);
  }
}
