import { AppError, type Caller, uuidv7, existing } from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { hasEnded, holderHere, type Transaction, Transactions } from '../../infrastructure/database';
import { BatchRepository, type Ending, type Lease, type TaskStart } from './batch.repository';
import type { Batch, BatchScope, BatchState, BatchTask } from './batch.types';

/** A batch and its lease: no other process writes for it. */
export interface HeldBatch {
  readonly batch: Batch;
  /** The state that it returns to when the task changes nothing. */
  readonly resting: BatchState;
  readonly lease: Lease;
}

export interface TaskRequest {
  readonly task: BatchTask;
  /** The task does not change the batch's state, e.g. the rollback of one assistant. */
  readonly aside?: boolean;
  readonly forced?: boolean;
  readonly background?: boolean;
  /** Refusals name neither processes nor other batches. */
  readonly discreet?: boolean;
}

export interface ApplyRequest extends BatchScope {
  readonly batchSize: number;
  /** Resumes this batch and no other. */
  readonly resume?: string;
}

/** This process did not renew its lease in time. */
export class LeaseLost extends AppError {
  constructor() {
    super('conflict', 'Another process has taken the batch over');
  }
}

const STATE_OF_TASK = { apply: 'running', rollback: 'rolling_back' } as const;

/** A lease ends at once when its process has ended on this machine. */
export const isHeld = ({ lease }: Batch): boolean => lease !== null && !hasEnded(lease.holder);

/** A batch whose process was killed during apply is interrupted. */
const restingState = ({ state }: Batch): BatchState =>
  state === 'running' || state === 'queued' ? 'interrupted' : state;

const inWords: Readonly<Record<BatchTask, string>> = { apply: 'apply', rollback: 'roll back', verify: 'verify' };

const BUSY = { reason: 'batch.busy' } as const;

/** @throws {AppError} `conflict` when the task does not fit the batch. */
function assertFits({ id, state }: Batch, task: BatchTask): void {
  const refused =
    task === 'apply'
      ? state === 'done' || state === 'rolling_back' || state === 'rolled_back'
      : task === 'rollback' && state === 'rolled_back';
  if (refused)
    throw new AppError('conflict', `Batch ${id} is ${state}: there is nothing to ${inWords[task]}`, {
      reason: 'batch.finished',
    });
}

/** Leases of batches. Batches with overlapping scopes exclude each other. */
@Injectable()
export class BatchLeases {
  private readonly seconds: number;

  constructor(
    private readonly batches: BatchRepository,
    private readonly transactions: Transactions,
    @Inject(CONFIG) { jobs }: Config,
  ) {
    this.seconds = jobs.leaseSeconds;
  }

  /** Begins a batch or resumes the unfinished one of the same scope. @throws {AppError} `conflict`, `not_found` */
  begin(request: ApplyRequest, label: string, actor: Caller | null): Promise<HeldBatch> {
    return this.starting(async (tx) => {
      const batch = await this.batchFor(request, actor, false, tx);
      return this.take(batch, { task: 'apply' }, label, tx);
    });
  }

  /** Queues the same for the server's jobs; `enqueue` is part of the transaction. */
  beginLater(
    request: ApplyRequest,
    actor: Caller,
    enqueue: (batch: Batch, tx: Transaction) => Promise<void>,
  ): Promise<Batch> {
    return this.starting(async (tx) => {
      const batch = await this.batchFor(request, actor, true, tx);
      return this.putOff(batch, { task: 'apply' }, actor, enqueue, tx);
    });
  }

  /** @throws {AppError} `conflict`, `not_found` */
  claim(id: string, request: TaskRequest, label: string): Promise<HeldBatch> {
    return this.starting(async (tx) => this.take(await this.get(id, tx), request, label, tx));
  }

  claimLater(
    id: string,
    request: TaskRequest,
    actor: Caller,
    enqueue: (batch: Batch, tx: Transaction) => Promise<void>,
  ): Promise<Batch> {
    return this.starting(async (tx) => this.putOff(await this.get(id, tx), request, actor, enqueue, tx));
  }

  /** First call of every chunk. @throws {LeaseLost} */
  async renew({ lease }: HeldBatch, tx: Transaction): Promise<void> {
    if (!(await this.batches.renew(lease, tx))) throw new LeaseLost();
  }

  release({ lease }: HeldBatch, ending: Ending): Promise<void> {
    return this.batches.release(lease, ending);
  }

  private starting<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.transactions.run(async (tx) => {
      await this.batches.lockStarts(tx);
      return work(tx);
    });
  }

  private async get(id: string, tx: Transaction): Promise<Batch> {
    return existing(await this.batches.find(id, tx), 'Batch');
  }

  private async batchFor(
    request: ApplyRequest,
    actor: Caller | null,
    background: boolean,
    tx: Transaction,
  ): Promise<Batch> {
    if (request.resume !== undefined) return this.goingOn(await this.get(request.resume, tx), request, tx);
    const unfinished = await this.batches.unfinished(request, tx);
    if (unfinished !== null) return this.goingOn(unfinished, request, tx);
    const id = uuidv7();
    await this.batches.insert({ ...request, id, background, actor }, tx);
    return this.get(id, tx);
  }

  private async goingOn(batch: Batch, { batchSize }: ApplyRequest, tx: Transaction): Promise<Batch> {
    if (batch.batchSize !== batchSize) await this.batches.resize(batch.id, batchSize, tx);
    return batch;
  }

  private async take(batch: Batch, request: TaskRequest, label: string, tx: Transaction): Promise<HeldBatch> {
    await this.assertFree(batch, request, tx);
    const lease: Lease = { batchId: batch.id, token: randomUUID(), seconds: this.seconds };
    await this.batches.claim(lease, startOf(batch, request), request.background ?? false, holderHere(label), tx);
    return { batch: await this.get(batch.id, tx), resting: restingState(batch), lease };
  }

  private async putOff(
    batch: Batch,
    request: TaskRequest,
    actor: Caller,
    enqueue: (batch: Batch, tx: Transaction) => Promise<void>,
    tx: Transaction,
  ): Promise<Batch> {
    await this.assertFree(batch, { ...request, discreet: true }, tx);
    const start = startOf(batch, request);
    const state = start.state === 'running' ? 'queued' : start.state;
    await this.batches.enqueue(batch.id, { ...start, state }, actor, tx);
    const queued = await this.get(batch.id, tx);
    await enqueue(queued, tx);
    return queued;
  }

  private async assertFree(batch: Batch, request: TaskRequest, tx: Transaction): Promise<void> {
    assertFits(batch, request.task);
    const others = request.task === 'verify' ? [] : await this.batches.leased(batch.id, batch.organizationId, tx);
    const busy = [batch, ...others].find(isHeld);
    if (busy?.lease) throw new AppError('conflict', heldBy(busy, busy.lease, busy.id === batch.id, request), BUSY);
    assertNothingWaits(batch, request);
  }
}

/** A queued task is neither lost nor run twice: only the same task may take it over. */
function assertNothingWaits({ id, task, background }: Batch, { task: wanted, aside = false }: TaskRequest): void {
  if (!background || task === null || (task === wanted && !aside)) return;
  throw new AppError('conflict', `Batch ${id} waits for the server to ${inWords[task]} it; try again after that`, BUSY);
}

function heldBy(
  { id }: Batch,
  { holder, until }: NonNullable<Batch['lease']>,
  isSame: boolean,
  { discreet = false }: TaskRequest,
): string {
  const which = isSame || !discreet ? `Batch ${id}` : 'A batch with some of the same assistants';
  return `${which} is held by ${discreet ? 'another process' : holder.label}, at least until ${until.toISOString()}`;
}

function startOf(batch: Batch, { task, aside = task === 'verify', forced = false }: TaskRequest): TaskStart {
  return { task, state: aside || task === 'verify' ? restingState(batch) : STATE_OF_TASK[task], forced };
}
