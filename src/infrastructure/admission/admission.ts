import { AppError } from '@bellwether/kernel';
import { getHeapStatistics } from 'node:v8';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../config';
import { MetricRegistry } from '../telemetry';
import { ADMITTED, PLACES_MAX, PLACES_USED, REFUSED, WAITING, WAIT_TIME } from './admission.metrics';
import { FairQueue, type Waiting } from './fair-queue';

const SAMPLE_MS = 100;
/** More than one: a single long step, such as a garbage collection, is no overload. */
const SAMPLES_TO_CLOSE = 2;
const SAMPLES_TO_OPEN = 5;

/**
 * Tells whether the event loop lags. It is over its limit after two late samples in a row, and under it again after five
 * in a row that are late by less than half of the limit.
 */
export class LoopLag {
  isOver = false;
  private streak = 0;
  private due = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    /** 0: never over. */
    private readonly limitMs: number,
    private readonly onRecovered: () => void,
  ) {}

  start(): void {
    if (this.limitMs === 0) return;
    this.due = performance.now() + SAMPLE_MS;
    this.timer = setInterval(() => {
      const now = performance.now();
      this.sample(now - this.due);
      this.due = now + SAMPLE_MS;
    }, SAMPLE_MS);
    this.timer.unref();
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /** `lateMs`: by how much a timer was late. */
  sample(lateMs: number): void {
    const contradicts = this.isOver ? lateMs < this.limitMs / 2 : lateMs >= this.limitMs;
    this.streak = contradicts ? this.streak + 1 : 0;
    if (this.streak < (this.isOver ? SAMPLES_TO_OPEN : SAMPLES_TO_CLOSE)) return;
    this.streak = 0;
    this.isOver = !this.isOver;
    if (!this.isOver) this.onRecovered();
  }
}

/** Window of the exponential moving average, in samples. */
const WINDOW = 32;
/** Samples before there is an estimate. */
const LEAST_SAMPLES = 4;
/** Duration of an answer before there is an estimate. */
const ASSUMED_MS = 30_000;
const LEAST_SECONDS = 1;
const MOST_SECONDS = 60;

/** Measures the rate at which places become free, and tells refused clients when to return. */
export class ServiceRate {
  private meanMs = 0;
  private samples = 0;
  /** Time at which the last refused client was told to return. */
  private lastSlot = 0;

  constructor(private readonly places: number) {}

  ended(heldMs: number): void {
    this.samples += 1;
    this.meanMs += (heldMs - this.meanMs) / Math.min(this.samples, WINDOW);
  }

  /** Places that become free in a millisecond while all are taken, by Little's law. Null before there is an estimate. */
  get perMs(): number | null {
    return this.samples < LEAST_SAMPLES ? null : this.places / Math.max(this.meanMs, 1);
  }

  /**
   * Seconds until a refused client should find a place: after the waiting questions, and after the clients refused before
   * it. Otherwise all refused clients would return in the same second.
   */
  retryAfter(now: number, waiting: number): number {
    const perMs = this.perMs ?? this.places / ASSUMED_MS;
    const earliest = now + waiting / perMs;
    if (this.lastSlot < earliest || this.lastSlot > now + MOST_SECONDS * 1e3) this.lastSlot = earliest;
    this.lastSlot += 1 / perMs;
    return Math.min(Math.max(Math.ceil((this.lastSlot - now) / 1e3), LEAST_SECONDS), MOST_SECONDS);
  }
}

/**
 * Limits the starts in one turn of the event loop. More at once would delay the tokens of open streams, which wait for
 * the same loop.
 */
class TurnPace {
  private left: number;

  constructor(
    private readonly perTurn: number,
    private readonly onTurn: () => void,
  ) {
    this.left = perTurn;
  }

  get isSpent(): boolean {
    return this.left === 0;
  }

  start(): void {
    if (this.left === this.perTurn) setImmediate(() => this.next());
    this.left -= 1;
  }

  private next(): void {
    this.left = this.perTurn;
    this.onTurn();
  }
}

const REFUSALS = {
  event_loop: 'The service is overloaded; ask again later',
  queue_full: 'The service is busy and its queue is full; ask again later',
  wait_too_long: 'The service is busy and the wait in its queue would be too long; ask again later',
  timeout: 'The service is busy and did not reach this question in time; ask again later',
} as const;
type Refusal = keyof typeof REFUSALS;

const MOST_PLACES = 1_000;
/** Heap that an answer may need: its prompt, the retrieved text, buffers of a slow reader. */
const HEAP_BYTES = 2 * 1024 * 1024;

/** Answers that begin in one turn of the event loop; a start costs about a millisecond. */
const STARTS_PER_TURN = 4;

/** With fewer answers in progress, a late event loop is the work of other processes, and refusing would not help. */
const FEWEST_OF_OVERLOAD = 8;

const SHUTDOWN_SECONDS = 5;

const placesOfThisProcess = (): number =>
  Math.max(1, Math.min(MOST_PLACES, Math.floor(getHeapStatistics().heap_size_limit / HEAP_BYTES)));

export interface Arrival {
  readonly organizationId: string;
  /** Its share, compared to those of other organizations. */
  readonly weight: number;
  /** Aborted when the client leaves. */
  readonly gone: AbortSignal | null;
}

interface Waiter {
  readonly organizationId: string;
  readonly since: number;
  readonly admit: () => void;
  readonly refuse: (error: AppError) => void;
}

/** Gives the place back. To be called once the answer has ended; a second call does nothing. */
export type ReleaseSlot = () => void;

/**
 * Admission control of one process (ADR-0023). Each answer in progress holds one of `places`. Further questions wait for
 * a short time; the rest are refused. Free places go to waiting organizations by weighted fair queueing. While the event
 * loop lags, no answer begins beside those of a loaded process.
 */
@Injectable()
export class Admission implements OnModuleInit, OnModuleDestroy {
  readonly places: number;
  private readonly maxWaiting: number;
  private readonly maxWaitMs: number;
  private readonly queue = new FairQueue<Waiter>();
  /** All waiters have the same time limit, so the order of arrival is the order of the deadlines. */
  private readonly byArrival = new Set<Waiting<Waiter>>();
  private readonly heldBy = new Map<string, number>();
  private held = 0;
  private timer: NodeJS.Timeout | null = null;
  private readonly lag: LoopLag;
  private readonly rate: ServiceRate;
  private readonly pace: TurnPace;
  private readonly atOnce;
  private readonly afterWait;
  private readonly refused;
  private readonly waits;

  constructor(@Inject(CONFIG) { runs: { completions }, eventLoop }: Config, registry: MetricRegistry) {
    this.places = completions.process ?? placesOfThisProcess();
    this.maxWaiting = completions.waiting;
    this.maxWaitMs = completions.waitMs;
    this.rate = new ServiceRate(this.places);
    this.lag = new LoopLag(eventLoop.delayLimitMs, () => this.admitWaiting());
    // Without a queue, a question that has to wait for the next turn would be refused.
    this.pace = new TurnPace(this.maxWaiting === 0 ? Infinity : STARTS_PER_TURN, () => this.admitWaiting());
    const admitted = registry.counter(ADMITTED);
    this.atOnce = admitted.at('no');
    this.afterWait = admitted.at('yes');
    this.refused = registry.counter(REFUSED);
    this.waits = registry.histogram(WAIT_TIME).at();
    registry.gauge(WAITING, () => [[[], this.queue.size]]);
    registry.gauge(PLACES_USED, () => [[[], this.held]]);
    registry.gauge(PLACES_MAX, () => [[[], this.places]]);
  }

  onModuleInit(): void {
    this.lag.start();
  }

  onModuleDestroy(): void {
    this.lag.stop();
    this.refuseWaiting();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  /** Questions that wait. */
  get waiting(): number {
    return this.queue.size;
  }

  /** Places that are taken, by all or by one organization. */
  placesHeld(organizationId?: string): number {
    return organizationId === undefined ? this.held : (this.heldBy.get(organizationId) ?? 0);
  }

  /** Refuses a request before its credential is read. @throws AppError `overloaded` while the event loop lags */
  assertOpen(): void {
    if (this.isOverloaded) throw this.refusal('event_loop');
  }

  /** Takes a free place; null when there is none or others wait for one. */
  tryEnter(organizationId: string): ReleaseSlot | null {
    if (!this.mayStart || this.queue.size > 0) return null;
    this.atOnce.inc();
    return this.take(organizationId);
  }

  /** Waits for a place. @throws AppError `overloaded`; `cancelled` when the client leaves */
  async enter({ organizationId, weight, gone }: Arrival): Promise<ReleaseSlot> {
    const leave = this.tryEnter(organizationId);
    if (leave !== null) return leave;
    if (gone?.aborted === true) throw clientLeft();
    this.assertOpen();
    this.assertShortWait(organizationId, weight);
    if (this.queue.size >= this.maxWaiting) this.pushOut(organizationId, weight);
    const since = performance.now();
    await this.wait({ organizationId, weight, gone }, since);
    this.afterWait.inc();
    this.waits.observe((performance.now() - since) / 1e3);
    return this.leaveOnce(organizationId);
  }

  private get mayStart(): boolean {
    return this.held < this.places && !this.pace.isSpent && !this.isOverloaded;
  }

  private get isOverloaded(): boolean {
    return this.lag.isOver && this.held >= FEWEST_OF_OVERLOAD;
  }

  /** Refuses all waiting questions, because the service stops. */
  refuseWaiting(): void {
    const error = new AppError('server_shutdown', 'The server is shutting down', { retryAfter: SHUTDOWN_SECONDS });
    for (const waiting of [...this.byArrival]) this.drop(waiting, error);
  }

  private wait({ organizationId, weight, gone }: Arrival, since: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const left = (): void => this.drop(waiting, clientLeft());
      const waiting = this.queue.push(organizationId, weight, {
        organizationId,
        since,
        admit: () => {
          gone?.removeEventListener('abort', left);
          this.byArrival.delete(waiting);
          resolve();
        },
        refuse: (error) => {
          gone?.removeEventListener('abort', left);
          this.byArrival.delete(waiting);
          reject(error);
        },
      });
      this.byArrival.add(waiting);
      gone?.addEventListener('abort', left, { once: true });
      this.timer ??= this.expireIn(this.maxWaitMs);
    });
  }

  private drop(waiting: Waiting<Waiter>, error: AppError): void {
    if (this.queue.remove(waiting)) waiting.item.refuse(error);
  }

  /** @throws AppError `overloaded` when the measured rate says that the question would wait too long */
  private assertShortWait(organizationId: string, weight: number): void {
    const { perMs } = this.rate;
    if (perMs === null) return;
    const own = (this.queue.sizeOf(organizationId) + 1) / this.queue.shareOf(organizationId, weight);
    const ahead = Math.min(own, this.queue.size + 1) - (this.places - this.held);
    if (ahead / perMs > this.maxWaitMs) throw this.refusal('wait_too_long');
  }

  /** Refuses a waiting question of an organization with more of them, or else this one. @throws AppError `overloaded` */
  private pushOut(organizationId: string, weight: number): void {
    const last = this.queue.pushedOutBy(organizationId, weight);
    const error = this.refusal('queue_full');
    if (last === null) throw error;
    this.drop(last, error);
  }

  private admitWaiting(): void {
    const heldBy = (organizationId: string): number => this.placesHeld(organizationId);
    while (this.mayStart && this.queue.size > 0) {
      const next = this.queue.shift(heldBy);
      if (next === undefined) return;
      this.pace.start();
      this.count(next.organizationId, 1);
      next.admit();
    }
  }

  private take(organizationId: string): ReleaseSlot {
    this.pace.start();
    this.count(organizationId, 1);
    return this.leaveOnce(organizationId);
  }

  private leaveOnce(organizationId: string): ReleaseSlot {
    const began = performance.now();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.rate.ended(performance.now() - began);
      this.count(organizationId, -1);
      if (this.queue.size > 0) this.admitWaiting();
    };
  }

  private count(organizationId: string, by: number): void {
    this.held += by;
    const held = (this.heldBy.get(organizationId) ?? 0) + by;
    if (held === 0) this.heldBy.delete(organizationId);
    else this.heldBy.set(organizationId, held);
  }

  /** One timer for all waiters, set to the next deadline. */
  private expireIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.expire(), ms).unref();
  }

  private expire(): void {
    const now = performance.now();
    this.timer = null;
    for (const waiting of this.byArrival) {
      const left = waiting.item.since + this.maxWaitMs - now;
      if (left > 0) {
        this.timer = this.expireIn(left);
        return;
      }
      this.drop(waiting, this.refusal('timeout'));
    }
  }

  private refusal(reason: Refusal): AppError {
    this.refused.at(reason).inc();
    const retryAfter = this.rate.retryAfter(performance.now(), this.queue.size);
    return new AppError('overloaded', REFUSALS[reason], { retryAfter });
  }
}

const clientLeft = (): AppError => new AppError('cancelled', 'The client left');
