import { AppError, type Caller, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { toAppError } from '../../infrastructure/http';
import { BatchApplier } from './batch-applier.service';
import { BatchItemRepository } from '../batches/batch-item.repository';
import { type ApplyRequest, BatchLeases, type HeldBatch, isHeld, LeaseLost } from '../batches/batch-lease.service';
import { BatchRepository, type Ending, type FailureResult } from '../batches/batch.repository';
import { BatchRollback } from './batch-rollback.service';
import { BatchVerifier } from './batch-verifier.service';
import {
  type Batch,
  type BatchTask,
  type EditedItem,
  type FailedItem,
  MOST_LISTED,
  type RollbackReport,
  type TaskControl,
  type VerifyReport,
} from '../batches/batch.types';

/** The process and the person behind a task. */
export interface Worker {
  /** Names the process to other operators. */
  readonly label: string;
  /** The person in the audit; null for operator commands. */
  readonly actor: Caller | null;
}

export interface Outcome<Report = null> {
  readonly batch: Batch;
  readonly report: Report;
  /** False when it was stopped before its end. */
  readonly complete: boolean;
}

export interface Applied extends Outcome {
  /** Assistants that earlier calls examined; more than none when an unfinished batch was resumed. */
  readonly before: number;
}

/** States in which a task leaves the batch when it does not reach its end. */
type Endings = { readonly stopped: Ending; readonly failed: Ending };

interface Work<Report> {
  readonly report: Report;
  readonly complete: boolean;
  /** The state after a complete task. */
  readonly done: Omit<Ending, 'task'>;
}

const editedProblem = ({ assistantId, newVersion, version }: EditedItem) => ({
  path: `assistants.${assistantId}`,
  message: `version ${version} was saved after the batch had written version ${newVersion}`,
  code: 'assistant.edited',
});

/** Runs batches of migrations in this process. Every method may be called again after a kill. */
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
    return existing(await this.batches.find(id), 'Batch');
  }

  /** The newest batches of an organization's own, or of every scope when null. */
  async recent(organizationId: string | null, limit: number): Promise<readonly Batch[]> {
    return (await this.batches.page(organizationId, { limit, cursor: null })).items;
  }

  /** Assistants that could not be migrated, the first hundred. */
  async failures(id: string): Promise<readonly FailedItem[]> {
    const items = await this.items.after(id, ['failed'], 0, MOST_LISTED);
    return items.map((item) => ({ ...item, name: item.name ?? '' }));
  }

  /** Begins a batch or resumes the unfinished one. @throws {AppError} `conflict` while another process works on it */
  async apply(request: ApplyRequest, worker: Worker, control: TaskControl): Promise<Applied> {
    const held = await this.leases.begin(request, worker.label, worker.actor);
    const outcome = await this.run(held, stopped('interrupted'), () => this.applied(held, worker.actor, control));
    return { ...outcome, before: held.batch.examined };
  }

  /** @throws {AppError} `conflict` with the assistants that were saved since, unless forced */
  async rollBack(id: string, force: boolean, worker: Worker, control: TaskControl): Promise<Outcome<RollbackReport>> {
    await this.assertUnedited(id, force);
    const held = await this.leases.claim(id, { task: 'rollback', forced: force }, worker.label);
    return this.run(held, stopped('rolling_back'), () => this.rolledBack(held, worker.actor, control));
  }

  /** @throws {AppError} `not_found`, `conflict` */
  async rollBackOne(id: string, assistantId: number, force: boolean, worker: Worker): Promise<RollbackReport> {
    const request = { task: 'rollback', aside: true, forced: force, discreet: worker.actor !== null } as const;
    const held = await this.leases.claim(id, request, worker.label);
    const { report } = await this.run(held, stopped(held.resting), async () => ({
      report: await this.rollbacks.one(held, assistantId, worker.actor),
      complete: true,
      done: { state: held.resting, result: null },
    }));
    if (report.editedCount > 0 && !force) throw editedSince(report.edited, report.editedCount);
    return report;
  }

  async verify(id: string, worker: Worker, control: TaskControl): Promise<Outcome<VerifyReport>> {
    const held = await this.leases.claim(id, { task: 'verify' }, worker.label);
    return this.run(held, stopped(held.resting), () => this.verified(held, control));
  }

  /**
   * Runs the task that the batch's row names, for a job; does nothing when that is done or another process holds it.
   * False: stopped. `admit` returns the current rights of the person who asked, or refuses them, which ends the task.
   */
  async runQueued(
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
    const { later, abandoned } = inBackground(held, task);
    const refused = (error: unknown): Ending => (isRefusal(error) || lastTry ? abandoned : later);
    const actor = await this.releasing(held, refused, () => admit(held.batch)).catch(undefinedWhenRefused);
    if (actor === undefined) return true;
    const work = {
      apply: () => this.applied(held, actor, control),
      rollback: () => this.rolledBack(held, actor, control),
      verify: () => this.verified(held, control),
    } as const;
    const endings = { stopped: later, failed: lastTry ? abandoned : later };
    return (await this.run<unknown>(held, endings, work[task])).complete;
  }

  /** @throws {AppError} `conflict` naming assistants that were saved since the batch had rewritten them, unless forced */
  async assertUnedited(id: string, force: boolean): Promise<void> {
    if (force) return;
    const { items, count } = await this.items.edited(id, MOST_LISTED);
    if (count > 0) throw editedSince(items, count);
  }

  private async applied(held: HeldBatch, actor: Caller | null, control: TaskControl): Promise<Work<null>> {
    const complete = await this.applier.run(held, actor, control);
    return { report: null, complete, done: { state: 'done', result: null, finished: true } };
  }

  private async rolledBack(held: HeldBatch, actor: Caller | null, control: TaskControl): Promise<Work<RollbackReport>> {
    const report = await this.rollbacks.run(held, actor, control);
    const isPartial = report.historyMissing > 0 || (report.editedCount > 0 && !held.batch.forced);
    const done = { state: isPartial ? 'done' : 'rolled_back', result: report, rewind: true } as const;
    return { report, complete: report.complete, done };
  }

  private async verified(held: HeldBatch, control: TaskControl): Promise<Work<VerifyReport>> {
    const report = await this.verifier.run(held.batch, control);
    return { report, complete: report.complete, done: { state: held.resting, result: report } };
  }

  /** Runs the work and releases the lease. When the release fails too, the lease expires. */
  private run<Report>(
    held: HeldBatch,
    { stopped: early, failed }: Endings,
    work: () => Promise<Work<Report>>,
  ): Promise<Outcome<Report>> {
    return this.releasing(
      held,
      () => failed,
      async () => {
        const { report, complete, done } = await work();
        const partial = held.batch.task === 'rollback' ? { ...early, result: done.result } : early;
        await this.leases.release(held, complete ? { ...done, task: null } : partial);
        return { batch: await this.find(held.batch.id), report, complete };
      },
    );
  }

  private async releasing<T>(held: HeldBatch, failed: (error: unknown) => Ending, work: () => Promise<T>): Promise<T> {
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

/** A command that was stopped waits until somebody calls it again. */
function stopped(state: Ending['state']): Endings {
  const ending: Ending = { state, task: null, result: null };
  return { stopped: ending, failed: ending };
}

/** `later`: the next job continues. `abandoned`: nothing happens until somebody asks again. */
function inBackground({ resting }: HeldBatch, task: BatchTask): { readonly later: Ending; readonly abandoned: Ending } {
  const state = task === 'apply' ? 'queued' : task === 'rollback' ? 'rolling_back' : resting;
  const last = task === 'apply' ? 'interrupted' : state;
  return { later: { state, task, result: null }, abandoned: { state: last, task: null, result: null } };
}

function editedSince(items: readonly EditedItem[], count: number): AppError {
  const problems = items.map(editedProblem);
  const detail = `${count} assistants were saved again since the batch; a forced rollback overwrites what was saved`;
  return new AppError('conflict', detail, { problems });
}

/** A background task has nobody to answer: the batch keeps its failure. */
function failureOf({ task }: Batch, error: unknown): FailureResult | null {
  const { code, detail } = toAppError(error);
  return task === null ? null : { failure: { task, at: new Date().toISOString(), code, detail } };
}

const REFUSALS = ['unauthenticated', 'forbidden', 'not_found'];
const isRefusal = (error: unknown): boolean => error instanceof AppError && REFUSALS.includes(error.code);

function undefinedWhenRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}

/** Another process was faster or works on the same assistants: the job waits for it. */
function nullWhenBusy(error: unknown): null {
  if (error instanceof AppError && error.code === 'conflict') return null;
  throw error;
}
