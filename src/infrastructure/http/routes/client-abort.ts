import { AppError } from '@bellwether/kernel';
import type { Response } from 'express';

/**
 * Calls `left` when the client leaves before the answer is complete, never at once. Listens on the response: the request of
 * a parsed POST closes at once.
 */
export function onceClientLeaves(response: Response, left: () => void): void {
  const onClose = (): void => {
    if (!response.writableFinished) left();
  };
  if (response.closed) queueMicrotask(onClose);
  else response.once('close', onClose);
}

/** Aborts when the client leaves before the answer is complete. */
export function clientAbortSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error('client_gone'));
  if (response.closed && !response.writableFinished) abort();
  else onceClientLeaves(response, abort);
  return controller.signal;
}

/** Runs work that ends when the client leaves. @throws {AppError} `cancelled` in that case */
export async function whileClientStays<T>(response: Response, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = clientAbortSignal(response);
  try {
    return await work(signal);
  } catch (error) {
    if (signal.aborted) throw new AppError('cancelled', 'The client left', { cause: error });
    throw error;
  }
}
