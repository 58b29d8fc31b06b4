import { type Caller, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantRewrites, type RollbackOutcome, type RollbackRequest } from '../../assistants';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { BatchItemRepository } from '../batches/batch-item.repository';
import { BatchLeases, type HeldBatch } from '../batches/batch-lease.service';
import { BatchRepository } from '../batches/batch.repository';
import {
  type BatchItem,
  type EditedItem,
  MOST_LISTED,
  type RollbackReport,
  type TaskControl,
} from '../batches/batch.types';
import { definitionHash } from './migration-planner.service';

type RollbackCounts = {
  -readonly [Name in 'rolledBack' | 'gone' | 'historyMissing' | 'editedCount']: RollbackReport[Name];
} & { readonly edited: EditedItem[] };

const noCounts = (): RollbackCounts => ({ rolledBack: 0, gone: 0, historyMissing: 0, editedCount: 0, edited: [] });

const reportOf = (counts: RollbackCounts, complete: boolean): RollbackReport => ({
  task: 'rollback',
  at: new Date().toISOString(),
  ...counts,
  complete,
});

/** Restores the documents that the assistants of a batch had before it, byte for byte. */
@Injectable()
export class BatchRollback {
  constructor(
    private readonly rewrites: AssistantRewrites,
    private readonly leases: BatchLeases,
    private readonly batches: BatchRepository,
    private readonly items: BatchItemRepository,
    private readonly transactions: Transactions,
  ) {}

  /** Assistants that were saved since are skipped unless the batch is forced. @throws {LeaseLost} */
  async run(held: HeldBatch, actor: Caller | null, { signal, report }: TaskControl): Promise<RollbackReport> {
    const { batch } = held;
    const counts = noCounts();
    const total = await this.items.count(batch.id, ['migrated']);
    let done = 0;
    const tell = (): void => report({ done, total: Math.max(total, done), text: 'assistants' });
    tell();
    for (let cursor = batch.rollbackCursor; !signal.aborted;) {
      const items = await this.items.after(batch.id, ['migrated'], cursor, batch.batchSize);
      const last = items.at(-1);
      if (last === undefined) break;
      await this.chunk(held, items, actor, batch.forced, counts);
      cursor = last.assistantId;
      done += items.length;
      tell();
    }
    return reportOf(counts, !signal.aborted);
  }

  /** @throws {AppError} `not_found` when the batch did not rewrite it. @throws {LeaseLost} */
  async one(held: HeldBatch, assistantId: number, actor: Caller | null): Promise<RollbackReport> {
    const item = await this.items.find(held.batch.id, assistantId);
    if (item === null || (item.status !== 'migrated' && item.status !== 'rolled_back'))
      throw notFound('Assistant in this batch');
    const counts = noCounts();
    if (item.status === 'migrated') await this.chunk(held, [item], actor, held.batch.forced, counts, false);
    return reportOf(counts, true);
  }

  private async chunk(
    held: HeldBatch,
    items: readonly BatchItem[],
    actor: Caller | null,
    force: boolean,
    counts: RollbackCounts,
    advance = true,
  ): Promise<void> {
    const { batch } = held;
    const outcomes = await this.transactions.run(async (tx) => {
      await this.leases.renew(held, tx);
      const made = await this.rewrites.rollBack(
        tx,
        items.map((item) => requestFor(batch.id, item, force)),
        actor,
      );
      await this.record(batch.id, items, made, advance, tx);
      return made;
    });
    this.rewrites.committed(
      outcomes.flatMap((outcome) => (outcome.status === 'done' ? [outcome.rewritten] : [])),
      batch.id,
    );
    count(counts, items, outcomes);
  }

  private async record(
    batchId: string,
    items: readonly BatchItem[],
    outcomes: readonly RollbackOutcome[],
    advance: boolean,
    tx: Transaction,
  ): Promise<void> {
    const back = items.filter((_, n) => outcomes[n]?.status === 'done' || outcomes[n]?.status === 'already');
    await this.items.mark(
      batchId,
      back.map(({ assistantId }) => assistantId),
      'rolled_back',
      tx,
    );
    const cursor = advance ? (items.at(-1)?.assistantId ?? 0) : 0;
    await this.batches.countRolledBack(batchId, cursor, back.length, tx);
  }
}

const requestFor = (batchId: string, item: BatchItem, force: boolean): RollbackRequest => ({
  assistantId: item.assistantId,
  organizationId: item.organizationId,
  oldVersion: item.oldVersion ?? 0,
  newVersion: item.newVersion ?? 0,
  force,
  batchId,
  isOld: (definition) => definitionHash(definition) === item.oldHash,
});

function count(counts: RollbackCounts, items: readonly BatchItem[], outcomes: readonly RollbackOutcome[]): void {
  for (const [n, outcome] of outcomes.entries()) {
    const item = items[n];
    if (item === undefined) continue;
    const edits = outcome.status === 'edited' ? outcome.edits : outcome.status === 'done' ? outcome.overEdits : [];
    if (outcome.status === 'done' || outcome.status === 'already') counts.rolledBack += 1;
    if (outcome.status === 'gone') counts.gone += 1;
    if (outcome.status === 'history_missing') counts.historyMissing += 1;
    if (edits.length === 0) continue;
    counts.editedCount += 1;
    const { assistantId, newVersion } = item;
    if (counts.edited.length < MOST_LISTED)
      counts.edited.push({ assistantId, newVersion: newVersion ?? 0, version: Math.max(...edits) });
  }
}
