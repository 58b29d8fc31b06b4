import type { Dispatcher } from 'undici';
import { AppError } from '../../kernel';
import { decodedBody } from '../../infrastructure/outbound';
import type { ModelCallContext, ModelChunk } from '../contract';
import { BodyPump } from './body-pump';
import { CallDeadline } from './call-deadline';
import type { ModelCallLimits } from '../contract';
import { truncated } from './model-transport';
import { waitForRetry } from './retry';
import { failureOfTransport, UpstreamFailure } from './upstream-failure';

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
