import { AppError } from '@bellwether/kernel';
import type { Response } from 'express';
import { Observable } from 'rxjs';

/**
 * Aborts when the client leaves before the answer is complete. Listens on the response: the request of a parsed POST
 * closes at once.
 */
export function clientAbortSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  const onClose = (): void => {
    if (!response.writableFinished) controller.abort(new Error('client_gone'));
  };
  if (response.closed) onClose();
  else response.once('close', onClose);
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

/** Emits once when the signal is aborted; for `takeUntil`. Never during `subscribe`: the source would not start. */
export const whenAborted = (signal: AbortSignal): Observable<void> =>
  new Observable((subscriber) => {
    const tell = (): void => subscriber.next();
    if (signal.aborted) queueMicrotask(tell);
    else signal.addEventListener('abort', tell, { once: true });
    return () => signal.removeEventListener('abort', tell);
  });
