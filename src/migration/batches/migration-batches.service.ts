import { Injectable } from '@nestjs/common';
import { AppError, type Caller, notFound } from '../../kernel';
import { toAppError } from '../../platform/http';
import { BatchApplier } from './batch-applier.service';
import { BatchItemRepository } from './batch-item.repository';
import { type ApplyRequest, BatchLeases, type HeldBatch, isHeld, LeaseLost } from './batch-lease.service';
import { BatchRepository, type Ending, type FailureResult } from './batch.repository';
import { BatchRollback } from './batch-rollback.service';
import { BatchVerifier } from './batch-verifier.service';
import {
  type Batch,
  type BatchItem,
  type BatchTask,
  type EditedItem,
  MOST_LISTED,
  type RollbackReport,
  type TaskControl,
  type VerifyReport,
} from './batch.types';

/** Who carries a task out: `label` names the process to others, `actor` the person in the audit. */
export interface Worker {
  readonly label: string;
  readonly actor: Caller | null;
}

export interface Outcome<Report = null> {
  readonly batch: Batch;
  readonly report: Report;
  /** False when it was stopped before its end. */
  readonly complete: boolean;
}

export interface Applied extends Outcome {
  /** Assistants that were dealt with before this call: more than none when it went on with an unfinished batch. */
  readonly before: number;
}

/** How a task ends for others: what is left to do, and in which state. */
type Endings = { readonly stopped: Ending; readonly failed: Ending };

const editedProblem = ({ assistantId, newVersion, version }: EditedItem) => ({
  path: `assistants.${assistantId}`,
  message: `version ${version} was saved after the batch had written version ${newVersion}`,
  code: 'assistant.edited',
});

/** Batches of migrations, carried out by this process. Every method may be called again after a kill. */
@Injectable()
export class MigrationBatches {
  constructor(
    private readonly leases: BatchLeases,
    private readonly batches: BatchRepository,
    private readonly items: BatchItemRepository,
    private readonly applier: BatchApplier,
    private readonly rollbacks: BatchRollback,
    private readonly verifier: BatchVerifier,
  ) {}

  /** @throws {AppError} `not_found` */
  async find(id: string): Promise<Batch> {
    const batch = await this.batches.find(id);
    if (batch === null) throw notFound('Batch');
    return batch;
  }

  /** The newest batches of an organization's own, or of every scope when null. */
  async recent(organizationId: string | null, limit: number): Promise<readonly Batch[]> {
    return (await this.batches.page(organizationId, { limit, cursor: null })).items;
  }

  /** Assistants that could not be migrated, the first hundred. */
  failures(id: string): Promise<readonly BatchItem[]> {
    return this.items.after(id, ['failed'], 0, MOST_LISTED);
  }

  /** Begins a batch or goes on with the unfinished one. @throws {AppError} `conflict` while somebody else works on it */
  async apply(request: ApplyRequest, worker: Worker, control: TaskControl): Promise<Applied> {
    const held = await this.leases.begin(request, worker.label, worker.actor);
    return this.applyHeld(held, worker, control, stoppedByHand('interrupted'));
  }

  /** @throws {AppError} `conflict` naming assistants that were saved since, unless forced */
  async rollBack(id: string, force: boolean, worker: Worker, control: TaskControl): Promise<Outcome<RollbackReport>> {
    await this.assertUnedited(id, force);
    const held = await this.leases.claim(id, { task: 'rollback', forced: force }, worker.label);
    return this.rollBackHeld(held, worker, control, stoppedByHand('rolling_back'));
  }

  /** @throws {AppError} `not_found`, `conflict` */
  async rollBackOne(id: string, assistantId: number, force: boolean, worker: Worker): Promise<RollbackReport> {
    const request = { task: 'rollback', aside: true, forced: force, discreet: worker.actor !== null } as const;
    const held = await this.leases.claim(id, request, worker.label);
    const rest: Ending = { state: held.resting, task: null, result: null };
    const report = await this.holding(held, { stopped: rest, failed: rest }, async () => {
      const made = await this.rollbacks.one(held, assistantId, worker.actor);
      await this.leases.release(held, rest);
      return made;
    });
    if (report.editedCount > 0 && !force) throw editedSince(report.edited, report.editedCount);
    return report;
  }

  async verify(id: string, worker: Worker, control: TaskControl): Promise<Outcome<VerifyReport>> {
    const held = await this.leases.claim(id, { task: 'verify' }, worker.label);
    return this.verifyHeld(held, control, stoppedByHand(held.resting));
  }

  /**
   * For a job: does what the batch's row says; quietly nothing when that is done, or in other hands. False: stopped.
   * `admit` gives the person whose task it is as they are now, or refuses them: then the task ends with the reason.
   */
  async carryOut(
    id: string,
    label: string,
    lastTry: boolean,
    control: TaskControl,
    admit: (batch: Batch) => Promise<Caller | null>,
  ): Promise<boolean> {
    const batch = await this.batches.find(id);
    if (batch?.task == null || !batch.background || isHeld(batch)) return true;
    const { task, forced } = batch;
    const held = await this.leases.claim(id, { task, forced, background: true }, label).catch(nullWhenBusy);
    if (held === null) return true;
    const { stopped, given } = inBackground(held, task);
    const endings = { stopped, failed: lastTry ? given : stopped };
    const failed = (error: unknown): Ending => (isRefusal(error) ? given : endings.failed);
    const actor = await this.ending(held, failed, () => admit(held.batch)).catch(undefinedWhenRefused);
    if (actor === undefined) return true;
    const worker = { label, actor };
    if (task === 'apply') return (await this.applyHeld(held, worker, control, endings)).complete;
    if (task === 'rollback') return (await this.rollBackHeld(held, worker, control, endings)).complete;
    return (await this.verifyHeld(held, control, endings)).complete;
  }

  /** @throws {AppError} `conflict` naming assistants that were saved since the batch had rewritten them, unless forced */
  async assertUnedited(id: string, force: boolean): Promise<void> {
    if (force) return;
    const { items, count } = await this.items.edited(id, MOST_LISTED);
    if (count > 0) throw editedSince(items, count);
  }

  private applyHeld(held: HeldBatch, worker: Worker, control: TaskControl, endings: Endings): Promise<Applied> {
    return this.holding(held, endings, async () => {
      const complete = await this.applier.run(held, worker.actor, control);
      const done: Ending = { state: 'done', task: null, result: null, finished: true };
      await this.leases.release(held, complete ? done : endings.stopped);
      return { batch: await this.find(held.batch.id), report: null, complete, before: held.batch.examined };
    });
  }

  private rollBackHeld(
    held: HeldBatch,
    worker: Worker,
    control: TaskControl,
    endings: Endings,
  ): Promise<Outcome<RollbackReport>> {
    return this.holding(held, endings, async () => {
      const report = await this.rollbacks.run(held, worker.actor, control);
      const left = report.historyMissing > 0 || (report.editedCount > 0 && !held.batch.forced);
      const done: Ending = { state: left ? 'done' : 'rolled_back', task: null, result: report, rewind: true };
      await this.leases.release(held, report.complete ? done : { ...endings.stopped, result: report });
      return { batch: await this.find(held.batch.id), report, complete: report.complete };
    });
  }

  private verifyHeld(held: HeldBatch, control: TaskControl, endings: Endings): Promise<Outcome<VerifyReport>> {
    return this.holding(held, endings, async () => {
      const report = await this.verifier.run(held.batch, control);
      const done: Ending = { state: held.resting, task: null, result: report };
      await this.leases.release(held, report.complete ? done : endings.stopped);
      return { batch: await this.find(held.batch.id), report, complete: report.complete };
    });
  }

  /** What fails leaves the batch for whoever comes next; when even that cannot be written, the lease runs out. */
  private holding<T>(held: HeldBatch, { failed }: Endings, work: () => Promise<T>): Promise<T> {
    return this.ending(held, () => failed, work);
  }

  private async ending<T>(held: HeldBatch, failed: (error: unknown) => Ending, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      const result = held.batch.background ? failureOf(held.batch, error) : null;
      await this.leases.release(held, { ...failed(error), result }).catch(() => undefined);
      throw error;
    }
  }
}

/** Stopped by hand, a task waits for being called again by hand. */
function stoppedByHand(state: Ending['state']): Endings {
  const stopped: Ending = { state, task: null, result: null };
  return { stopped, failed: stopped };
}

/** `stopped`: to be gone on with by the next job; `given`: up, until somebody asks again. */
function inBackground({ resting }: HeldBatch, task: BatchTask): { readonly stopped: Ending; readonly given: Ending } {
  const state = task === 'apply' ? 'queued' : task === 'rollback' ? 'rolling_back' : resting;
  const given = task === 'apply' ? 'interrupted' : state;
  return { stopped: { state, task, result: null }, given: { state: given, task: null, result: null } };
}

function editedSince(items: readonly EditedItem[], count: number): AppError {
  const problems = items.map(editedProblem);
  const detail = `${count} assistants were saved again since the batch; a forced rollback overwrites what was saved`;
  return new AppError('conflict', detail, { problems });
}

/** Nobody waits for the outcome of a task in the background: the batch tells it. */
function failureOf({ task }: Batch, error: unknown): FailureResult | null {
  const { code, detail } = toAppError(error);
  return task === null ? null : { failure: { task, at: new Date().toISOString(), code, detail } };
}

const REFUSALS = ['unauthenticated', 'forbidden', 'not_found'];
const isRefusal = (error: unknown): boolean => error instanceof AppError && REFUSALS.includes(error.code);

function undefinedWhenRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}

/** Whoever is quicker, or works on the same assistants, is waited for. */
function nullWhenBusy(error: unknown): null {
  if (error instanceof AppError && error.code === 'conflict') return null;
  throw error;
}
