import { AppError } from '@bellwether/kernel';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { decodedBody } from '../../infrastructure/outbound';
import type { ModelCallContext, ModelCallLimits, ModelChunk } from '../contract';
import { CallDeadline } from './call-deadline';
import { truncated } from './model-transport';
import { UpstreamFailure, failureOfTransport, finalError } from './upstream-failure';

/** How long a finished answer's socket may take to end before it is closed instead of reused. Milliseconds. */
const DRAIN_MS = 1_000;

/**
 * Hands over what a body has received since it was last asked, and stops the socket while nobody asks: at most one read
 * is held. Cheaper than the stream's own iterator, and the socket survives a reader that is done before the body ends.
 */
export class BodyPump {
  private queue: Buffer[] = [];
  private ended = false;
  private failure: Error | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly body: Readable) {
    body.on('data', this.onData);
    body.once('end', () => {
      this.ended = true;
      this.wake?.();
    });
    body.on('error', (error) => {
      this.failure = error;
      this.wake?.();
    });
    body.once('close', () => {
      this.ended = true;
      this.wake?.();
    });
  }

  /** The buffers received; null at the end. Rejects with the transport's error. */
  async next(): Promise<readonly Buffer[] | null> {
    if (this.queue.length === 0 && !this.ended && this.failure === null) {
      this.body.resume();
      await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = null;
    }
    if (this.queue.length > 0) {
      const received = this.queue;
      this.queue = [];
      return received;
    }
    if (this.failure !== null) throw this.failure;
    return null;
  }

  /** `complete`: the rest is of no interest and the connection may be reused; otherwise it is closed at once. */
  release(complete: boolean): void {
    if (this.ended) return;
    this.body.off('data', this.onData);
    if (!complete) return void this.body.destroy();
    this.body.resume();
    const timer = setTimeout(() => this.body.destroy(), DRAIN_MS);
    timer.unref();
    this.body.once('close', () => clearTimeout(timer));
  }

  private readonly onData = (bytes: Buffer): void => {
    this.queue.push(bytes);
    if (this.wake === null) this.body.pause();
    else this.wake();
  };
}

/**
 * Milliseconds to wait before try `attempt + 1`. Null without a next try: the failure is final, tries or time are used
 * up, or the wait exceeds `maxWaitMs`. `Retry-After` replaces the backoff and is never shortened.
 */
export function retryDelay(
  failure: UpstreamFailure,
  attempt: number,
  limits: ModelCallLimits,
  remainingMs: number,
  random: () => number = Math.random,
): number | null {
  if (!failure.retryable || attempt >= limits.tries) return null;
  const backoff = limits.backoffMs * 2 ** (attempt - 1) * (1 - random() / 4);
  const wait = failure.retryAfterMs ?? backoff;
  return wait > limits.maxWaitMs || wait >= remainingMs ? null : wait;
}

/** Waits before the next try. @throws the failure's `AppError` when there is none */
async function waitForRetry(
  error: unknown,
  attempt: number,
  limits: ModelCallLimits,
  deadline: CallDeadline,
): Promise<void> {
  const failure = failureOfTransport(error, deadline);
  const budget = Math.min(deadline.remainingMs, limits.plainTotalMs);
  const delay = retryDelay(failure, attempt, limits, budget);
  if (delay === null) throw finalError(failure, attempt);
  try {
    await sleep(delay, undefined, { signal: deadline.signal });
  } catch (aborted) {
    throw failureOfTransport(aborted, deadline).error;
  }
}

/** A plain call: as many tries as the limits allow, one deadline over all. Rejects with `AppError` only. */
export async function callModel<T>(
  limits: ModelCallLimits,
  context: Pick<ModelCallContext, 'signal'>,
  attempt: (deadline: CallDeadline) => Promise<T>,
): Promise<T> {
  const deadline = new CallDeadline(context.signal, limits.plainTotalMs);
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(deadline);
      } catch (error) {
        await waitForRetry(error, tries, limits, deadline);
      }
    }
  } finally {
    deadline.dispose();
  }
}

/** Turns the bytes of one streamed answer into chunks; made anew for every try. */
export interface ChunkReader {
  /** True once nothing more is expected, so that the socket can be left to drain. */
  readonly done: boolean;
  /** True once a finish reason was read: what breaks after it is no loss. */
  readonly finished: boolean;
  read(bytes: Buffer, chunks: ModelChunk[]): void;
  /** The chunks held back until the end. @throws AppError when the answer is not whole */
  end(): readonly ModelChunk[];
}

export interface StreamAttempt {
  readonly open: (deadline: CallDeadline) => Promise<Dispatcher.ResponseData>;
  readonly reader: (response: Dispatcher.ResponseData) => ChunkReader;
}

/** A streamed call: tries again until the first chunk was handed over, never after. Rejects with `AppError` only. */
export async function* streamModel(
  limits: ModelCallLimits,
  context: ModelCallContext,
  attempt: StreamAttempt,
): AsyncGenerator<readonly ModelChunk[], void, undefined> {
  const deadline = new CallDeadline(context.signal, limits.streamTotalMs);
  try {
    for (let tries = 1; ; tries += 1) {
      let begun = false;
      try {
        for await (const chunks of readAnswer(deadline, attempt)) {
          begun = true;
          yield chunks;
        }
        return;
      } catch (error) {
        if (begun) throw lossMidway(error, deadline);
        await waitForRetry(error, tries, limits, deadline);
      }
    }
  } finally {
    deadline.dispose();
  }
}

async function* readAnswer(
  deadline: CallDeadline,
  attempt: StreamAttempt,
): AsyncGenerator<readonly ModelChunk[], void, undefined> {
  const response = await attempt.open(deadline);
  const pump = new BodyPump(decodedBody(response));
  let complete = false;
  try {
    const reader = attempt.reader(response);
    while (!reader.done) {
      const received = await nextRead(pump, reader);
      if (received === null) break;
      const chunks: ModelChunk[] = [];
      let fault: Error | null = null;
      try {
        for (const bytes of received) reader.read(bytes, chunks);
      } catch (error) {
        fault = error as Error;
      }
      // Complete chunks before the fault still go to the client.
      if (chunks.length > 0) yield chunks;
      if (fault !== null) throw fault;
    }
    const last = reader.end();
    complete = true;
    if (last.length > 0) yield last;
  } finally {
    pump.release(complete);
  }
}

/** A connection that breaks or stalls after the finish reason has lost nothing but the usage. */
async function nextRead(pump: BodyPump, reader: ChunkReader): Promise<readonly Buffer[] | null> {
  try {
    return await pump.next();
  } catch (error) {
    if (reader.finished) return null;
    throw error;
  }
}

/** After the first chunk a lost connection means a truncated answer, whatever the socket says. */
function lossMidway(error: unknown, deadline: CallDeadline): AppError {
  if (error instanceof UpstreamFailure) return error.error;
  const { error: mapped } = failureOfTransport(error, deadline);
  return mapped.code === 'upstream_error' && !(error instanceof AppError) ? truncated() : mapped;
}
