import { Injectable } from '@nestjs/common';
import { FileOwnership } from '../files';
import { AuditChainEdits, AuditLog } from '../infrastructure/audit';
import { type Transaction, Transactions } from '../infrastructure/database';
import { JobQueue, type Queue } from '../infrastructure/jobs';
import { OrganizationsService } from '../organizations';
import { textsIn } from './erasure/content-plan';
import { type OldFile, RetentionRepository } from './retention.repository';

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

const BATCH = 500;
const DAY_MS = 24 * 60 * 60_000;

/** Deletes data that is older than the organization's settings allow. Each batch is audited with the number of rows. */
@Injectable()
export class Retention {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly old: RetentionRepository,
    private readonly files: FileOwnership,
    private readonly transactions: Transactions,
    private readonly log: AuditLog,
    private readonly edits: AuditChainEdits,
  ) {}

  /** A process that dies in between has deleted whole batches; the next call goes on. */
  async apply(organizationId: string, signal: AbortSignal): Promise<void> {
    const { retention } = (await this.organizations.runtime(organizationId)).privacy;
    const { runs_days: runs, run_contents_days: contents, conversations_days: conversations } = retention;
    const { uploads_days: uploads, audit_days: audit } = retention;
    if (runs !== null) {
      const work = (tx: Transaction) => this.old.deleteRuns(organizationId, runs, BATCH, tx);
      await this.batches(organizationId, 'runs', work, signal);
    }
    if (contents !== null) {
      const work = await this.old.runEmptier(organizationId, contents, BATCH);
      await this.batches(organizationId, 'run_contents', work, signal);
    }
    if (conversations !== null) {
      const work = (tx: Transaction) => this.old.deleteConversations(organizationId, conversations, BATCH, tx);
      await this.batches(organizationId, 'conversations', work, signal);
    }
    if (uploads !== null) await this.removeUploads(organizationId, uploads, signal);
    if (audit !== null) {
      await this.edits.prune({ organizationId, before: new Date(Date.now() - audit * DAY_MS), caller: null });
    }
  }

  private async batches(
    organizationId: string,
    kind: string,
    work: (tx: Transaction) => Promise<number>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let count = BATCH; count === BATCH;) {
      signal.throwIfAborted();
      count = await this.transactions.run(async (tx) => {
        const treated = await work(tx);
        await this.record(organizationId, kind, treated, tx);
        return treated;
      });
    }
  }

  /** Uploads are files of a person that no assistant of that person names. */
  private async removeUploads(organizationId: string, days: number, signal: AbortSignal): Promise<void> {
    const byOwner = new Map<string, OldFile[]>();
    for (const file of await this.old.oldFiles(organizationId, days)) {
      byOwner.set(file.ownerId, [...(byOwner.get(file.ownerId) ?? []), file]);
    }
    for (const [userId, files] of byOwner) {
      signal.throwIfAborted();
      const used = textsIn(await this.old.definitionsOf(organizationId, userId));
      const unused = files.filter(({ id, name }) => !used.has(id) && !used.has(name)).map(({ id }) => id);
      await this.files.remove({ organizationId, userId }, unused, (tx, count) =>
        this.record(organizationId, 'uploads', count, tx),
      );
    }
  }

  private async record(organizationId: string, kind: string, count: number, tx: Transaction): Promise<void> {
    if (count === 0) return;
    const target = { type: 'organization', id: organizationId };
    await this.log.record(
      { caller: null, organizationId, action: 'retention.apply', target, after: { kind, count } },
      tx,
    );
  }
}

/** Applies the retention of each organization once an hour, by one process at a time. */
@Injectable()
export class RetentionJobs {
  constructor(
    private readonly old: RetentionRepository,
    private readonly jobs: JobQueue,
    retention: Retention,
  ) {
    jobs.declare(QUEUE, ({ data, signal }) => retention.apply(data.organizationId, signal));
    jobs.sweep(EVERY_MS, ({ first }) => (first ? Promise.resolve() : this.enqueue()));
  }

  private async enqueue(): Promise<void> {
    const due = await this.old.organizations();
    const jobs = due.map((organizationId) => ({ key: organizationId, data: { organizationId } }));
    await this.jobs.sendLost(QUEUE, jobs);
  }
}
