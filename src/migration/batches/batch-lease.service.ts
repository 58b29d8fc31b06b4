import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Caller, notFound, uuidv7 } from '../../kernel';
import { CONFIG, type Config } from '../../platform/config';
import { livenessOf, ownIdentity, type Transaction, Transactions } from '../../platform/database';
import { BatchRepository, type Ending, type Lease, type TaskStart } from './batch.repository';
import type { Batch, BatchScope, BatchState, BatchTask } from './batch.types';

/** A batch in hand: nobody else writes for it while the lease is this one. */
export interface HeldBatch {
  readonly batch: Batch;
  /** Its state when the task ends without having changed it. */
  readonly resting: BatchState;
  readonly lease: Lease;
}

export interface TaskRequest {
  readonly task: BatchTask;
  /** The task leaves the batch's state alone, as a rollback of one assistant does. */
  readonly aside?: boolean;
  readonly forced?: boolean;
  readonly background?: boolean;
  /** Whoever asks is told neither of processes nor of other batches. */
  readonly discreet?: boolean;
}

export interface ApplyRequest extends BatchScope {
  readonly batchSize: number;
  /** Continues this batch, or none other than it. */
  readonly resume?: string;
}

/** This process gave no sign of life for too long. */
export class LeaseLost extends AppError {
  constructor() {
    super('conflict', 'Another process has taken the batch over');
  }
}

const STATE_OF_TASK = { apply: 'running', rollback: 'rolling_back' } as const;

/** A holder whose process has ended on this machine holds nothing any more. */
export const isHeld = ({ lease }: Batch): boolean => lease !== null && livenessOf(lease.holder.process) !== 'dead';

/** A batch that was killed while it was applied counts as interrupted. */
const restingState = ({ state }: Batch): BatchState =>
  state === 'running' || state === 'queued' ? 'interrupted' : state;

const inWords: Readonly<Record<BatchTask, string>> = { apply: 'apply', rollback: 'roll back', verify: 'verify' };

/** @throws {AppError} `conflict` when the task does not fit the batch. */
function assertFits({ id, state }: Batch, task: BatchTask): void {
  const refused =
    task === 'apply'
      ? state === 'done' || state === 'rolling_back' || state === 'rolled_back'
      : task === 'rollback' && state === 'rolled_back';
  if (refused) throw new AppError('conflict', `Batch ${id} is ${state}: there is nothing to ${inWords[task]}`);
}

/** Who works on which batch. One at a time for every assistant: scopes that overlap exclude each other. */
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

  /** Begins a batch, or goes on with the unfinished one of the same scope. @throws {AppError} `conflict`, `not_found` */
  begin(request: ApplyRequest, label: string, actor: Caller | null): Promise<HeldBatch> {
    return this.starting(async (tx) => {
      const batch = await this.batchFor(request, actor, false, tx);
      return this.take(batch, { task: 'apply' }, label, tx);
    });
  }

  /** As `begin`, for the server's jobs; `enqueue` is part of the transaction. */
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
    const batch = await this.batches.find(id, tx);
    if (batch === null) throw notFound('Batch');
    return batch;
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
    const holder = { label, process: ownIdentity() };
    await this.batches.claim(lease, startOf(batch, request), request.background ?? false, holder, tx);
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
    if (busy?.lease) throw new AppError('conflict', heldBy(busy, busy.lease, busy.id === batch.id, request));
    assertNothingWaits(batch, request);
  }
}

/** What the server was asked to do is neither forgotten nor done twice: the same task may be taken over, no other. */
function assertNothingWaits({ id, task, background }: Batch, { task: wanted, aside = false }: TaskRequest): void {
  if (!background || task === null || (task === wanted && !aside)) return;
  throw new AppError('conflict', `Batch ${id} waits for the server to ${inWords[task]} it: that comes first`);
}

function heldBy(
  { id }: Batch,
  { holder, until }: NonNullable<Batch['lease']>,
  isSame: boolean,
  { discreet = false }: TaskRequest,
): string {
  const which = isSame || !discreet ? `Batch ${id}` : 'A batch with some of the same assistants';
  return `${which} is in the hands of ${discreet ? 'somebody else' : holder.label}, at least until ${until.toISOString()}`;
}

function startOf(batch: Batch, { task, aside = task === 'verify', forced = false }: TaskRequest): TaskStart {
  return { task, state: aside || task === 'verify' ? restingState(batch) : STATE_OF_TASK[task], forced };
}
