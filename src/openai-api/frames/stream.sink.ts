import type { Response } from 'express';
import { map, merge, type Observable, takeUntil } from 'rxjs';
import { type AnswerEvent, type Backpressure, type Completion, logBrokenAnswer, toldProgress } from '../../answering';
import { clientAbortSignal, toAppError, whenAborted } from '../../infrastructure/http';
import { SseStream } from '../../infrastructure/sse';
import { StreamFrames } from './stream-frames';

/** Sends an answer as OpenAI's event stream with progress. Rejects only before the first byte. */
export function sendStream(
  answer: Observable<AnswerEvent>,
  { completion, response, pressure }: { completion: Completion; response: Response; pressure: Backpressure },
): Promise<void> {
  const { run, request } = completion;
  const stream = new SseStream(response);
  const frames = new StreamFrames(completion);
  const events = request.progress === 'off' ? answer : merge(toldProgress(completion), answer);
  return new Promise((resolve, reject) => {
    const fail = (event: AnswerEvent & { type: 'failed' }, text: string): void => {
      if (!stream.isOpen) return reject(event.error);
      stream.end(text);
      logBrokenAnswer(run.id, event.error, event.cause);
    };
    events
      .pipe(
        map((event) => [event, frames.of(event)] as const),
        takeUntil(whenAborted(clientAbortSignal(response))),
      )
      .subscribe({
        next: ([event, text]) => {
          if (event.type === 'begun') stream.open();
          else if (event.type === 'finished') stream.end(text);
          else if (event.type === 'failed') fail(event, text);
          else if (text !== '' && !stream.write(text)) pressure.hold(stream.drained());
        },
        error: (cause: unknown) => {
          const error = toAppError(cause);
          run.abort(error.code);
          const event = { type: 'failed', record: { status: 'failed' }, error, cause } as const;
          fail(event, frames.of(event));
          resolve();
        },
        complete: resolve,
      });
  });
}
