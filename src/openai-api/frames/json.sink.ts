import type { Response } from 'express';
import { type Observable, takeUntil } from 'rxjs';
import type { AnswerEvent, Completion } from '../../answering';
import { clientAbortSignal, whenAborted } from '../../infrastructure/http';
import { JsonBody } from './json-body';

/** Sends an answer as one JSON body. Rejects with the answer's failure. */
export function sendJson(answer: Observable<AnswerEvent>, completion: Completion, response: Response): Promise<void> {
  const body = new JsonBody(completion);
  return new Promise((resolve, reject) => {
    answer.pipe(takeUntil(whenAborted(clientAbortSignal(response)))).subscribe({
      next: (event) => {
        if (event.type === 'failed') return reject(event.error);
        body.add(event);
        if (event.type === 'finished') write(response, body.text);
      },
      error: reject,
      complete: resolve,
    });
  });
}

/** Express' `json` would add an ETag and a second copy. */
function write(response: Response, body: string): void {
  if (response.destroyed) return;
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  // A string, not bytes: Node then sends header and body with one write.
  response.end(body);
}
