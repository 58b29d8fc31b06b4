import type { Response } from 'express';

/**
 * A signal that fires when the client leaves before the answer is complete.
 * It listens on the response: the request of a parsed POST closes at once, whether the client stays or not.
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
