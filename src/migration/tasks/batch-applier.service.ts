import type { Caller, Problem } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantRewrites, type RewriteSubject, type Rewritten } from '../../assistants';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { toAppError } from '../../infrastructure/http';
import { BatchItemRepository } from '../batches/batch-item.repository';
import { BatchLeases, type HeldBatch, LeaseLost } from '../batches/batch-lease.service';
import { BatchRepository } from '../batches/batch.repository';
import type { Batch, BatchItem, TaskControl } from '../batches/batch.types';
import { boundedDifferences, boundedProblems } from './bounded';
import { MigrationCandidates, type Examined, definitionHash } from './migration-planner.service';

const CHANGED: readonly Problem[] = [
  { path: '', message: 'was changed or deleted during the migration; run again', code: 'assistant.changed' },
];
const UNEXPECTED: readonly Problem[] = [
  { path: '', message: 'failed unexpectedly; the log has the reason', code: 'assistant.unexpected' },
];

/** Another process holds the batch now, or the database is unavailable. */
const stopsEverything = (error: unknown): boolean =>
  error instanceof LeaseLost || toAppError(error).code === 'unavailable';

/** Applies a batch in chunks. The rewrites, items, counts and cursor of a chunk are one transaction. */
@Injectable()
export class BatchApplier {
  constructor(
    private readonly candidates: MigrationCandidates,
    private readonly rewrites: AssistantRewrites,
    private readonly leases: BatchLeases,
    private readonly batches: BatchRepository,
    private readonly items: BatchItemRepository,
    private readonly transactions: Transactions,
  ) {}

  /** True at the end of the batch, false when it was stopped. @throws {LeaseLost} */
  async run(held: HeldBatch, actor: Caller | null, { signal, report }: TaskControl): Promise<boolean> {
    const { batch } = held;
    let done = batch.examined;
    const tell = (): void => report({ done, total: Math.max(batch.total, done), text: 'assistants' });
    tell();
    for await (const page of this.candidates.pages(batch, {
      afterId: batch.applyCursor,
      limit: batch.batchSize,
      signal,
    })) {
      done += await this.take(held, page, actor, signal);
      tell();
    }
    return !signal.aborted;
  }

  /** Number of assistants examined. Fewer than the page when it was stopped while going one by one. */
  private async take(
    held: HeldBatch,
    page: readonly RewriteSubject[],
    actor: Caller | null,
    signal: AbortSignal,
  ): Promise<number> {
    try {
      await this.commit(held, await this.candidates.examine(page, held.batch.to), actor);
      return page.length;
    } catch (error) {
      if (stopsEverything(error)) throw error;
    }
    let done = 0;
    for (const subject of page) {
      if (signal.aborted) break;
      await this.takeOne(held, subject, actor);
      done += 1;
    }
    return done;
  }

  /** An unexpected error in one document is recorded as its failure and does not stop the others. */
  private async takeOne(held: HeldBatch, subject: RewriteSubject, actor: Caller | null): Promise<void> {
    try {
      await this.commit(held, await this.candidates.examine([subject], held.batch.to), actor);
    } catch (error) {
      if (stopsEverything(error)) throw error;
      const plan = { status: 'refused', from: null, problems: UNEXPECTED, differences: [] } as const;
      await this.commit(held, [{ subject, verdict: { kind: 'refused', from: null, plan } }], actor);
    }
  }

  private async commit(held: HeldBatch, examined: readonly Examined[], actor: Caller | null): Promise<void> {
    const rewritten = await this.transactions.run((tx) => this.write(held, examined, actor, tx));
    this.rewrites.committed(rewritten, held.batch.id);
  }

  private async write(
    held: HeldBatch,
    examined: readonly Examined[],
    actor: Caller | null,
    tx: Transaction,
  ): Promise<readonly Rewritten[]> {
    await this.leases.renew(held, tx);
    const { batch } = held;
    const ready = examined.flatMap(({ subject, verdict }) =>
      verdict.kind === 'ready' ? [{ subject, plan: verdict.plan, reason: 'migrate' as const, batchId: batch.id }] : [],
    );
    const written = ready.length === 0 ? [] : await this.rewrites.apply(tx, ready, actor);
    const rewritten = written.filter((each) => each !== null);
    const byId = new Map(rewritten.map((each) => [each.id, each]));
    const items = examined.flatMap((each) => itemOf(each, byId.get(each.subject.id)));
    await this.items.insert(batch.id, items, tx);
    await this.count(batch, examined, items, tx);
    return rewritten;
  }

  private async count(
    batch: Batch,
    examined: readonly Examined[],
    items: readonly BatchItem[],
    tx: Transaction,
  ): Promise<void> {
    const counted = (status: BatchItem['status']): number => items.filter((item) => item.status === status).length;
    await this.batches.countApplied(
      batch.id,
      {
        cursor: examined.at(-1)?.subject.id ?? batch.applyCursor,
        examined: examined.length,
        migrated: counted('migrated'),
        skipped: counted('skipped'),
        failed: counted('failed'),
      },
      tx,
    );
  }
}

/** Assistants that already have the version are counted and not listed. */
function itemOf({ subject, verdict }: Examined, rewritten: Rewritten | undefined): BatchItem[] {
  if (verdict.kind === 'current') return [];
  const item: BatchItem = {
    assistantId: subject.id,
    organizationId: subject.organizationId,
    status: 'skipped',
    from: verdict.from,
    oldVersion: null,
    newVersion: null,
    oldHash: null,
    newHash: null,
    problems: [],
    differences: [],
    auditId: null,
  };
  if (verdict.kind === 'skipped') return [{ ...item, problems: verdict.problems }];
  if (verdict.kind === 'refused') {
    const { problems, differences } = verdict.plan;
    return [
      {
        ...item,
        status: 'failed',
        problems: boundedProblems(problems),
        differences: boundedDifferences(differences),
      },
    ];
  }
  if (rewritten === undefined) return [{ ...item, problems: CHANGED }];
  return [
    {
      ...item,
      status: 'migrated',
      oldVersion: rewritten.oldVersion,
      newVersion: rewritten.newVersion,
      oldHash: definitionHash(subject.definition),
      newHash: definitionHash(verdict.plan.definition),
      problems: boundedProblems(verdict.plan.notes),
      auditId: rewritten.auditId,
    },
  ];
}
