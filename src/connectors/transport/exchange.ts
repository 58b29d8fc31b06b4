import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { decoderOf } from '../../infrastructure/outbound';
import type { CallDeadline } from './upstream-failure';

type Controller = Dispatcher.DispatchController;

export interface AnswerHead {
  readonly statusCode: number;
  readonly headers: Dispatcher.ResponseData['headers'];
}

/** Takes the body of one answer. Whatever it throws ends the exchange. */
export interface AnswerSink<T> {
  /** True once nothing more is expected. */
  take(bytes: Buffer): boolean;
  end(): T;
}

/**
 * Sends one request and reads its answer as it arrives, with no stream or promise between the socket and the sink that
 * `open` makes for it.
 * @throws undici's errors, and what `open` and the sink throw
 */
export const exchange = <T>(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  deadline: CallDeadline,
  open: (head: AnswerHead) => AnswerSink<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new Exchange(deadline, open, resolve, reject));
  });

const ended = (): Error => new DOMException('The call was ended', 'AbortError');

class Exchange<T> implements Dispatcher.DispatchHandler {
  private controller: Controller | null = null;
  private sink: AnswerSink<T> | null = null;
  private decoder: (NodeJS.ReadWriteStream & Readable) | null = null;
  private isOver = false;

  constructor(
    private readonly deadline: CallDeadline,
    private readonly open: (head: AnswerHead) => AnswerSink<T>,
    private readonly resolve: (answer: T) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    deadline.onEnd = () => this.fail(ended());
    if (deadline.hasEnded) this.fail(ended());
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller;
    // The deadline may end a request that waits for a connection.
    if (this.isOver) controller.abort(ended());
  }

  onResponseStart(_: Controller, statusCode: number, headers: Dispatcher.ResponseData['headers']): void {
    // A status below 200 announces another one (RFC 9110 §15.2).
    if (statusCode < 200 || this.isOver) return;
    try {
      this.sink = this.open({ statusCode, headers });
      this.decoder = decoderOf(headers);
    } catch (error) {
      return this.fail(error);
    }
    this.decoder
      ?.on('data', (bytes: Buffer) => this.receive(bytes))
      .on('drain', () => this.controller?.resume())
      // Bytes after the compressed ones end the decoder before the answer ends.
      .once('end', () => this.complete())
      .once('error', (error) => this.fail(error));
  }

  onResponseData(controller: Controller, bytes: Buffer): void {
    if (this.decoder === null) this.receive(bytes);
    else if (!this.decoder.write(bytes)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.decoder === null) this.finish();
    else this.decoder.end();
  }

  onResponseError(_: Controller, error: Error): void {
    this.fail(error);
  }

  private receive(bytes: Buffer): void {
    if (this.isOver || this.sink === null) return;
    try {
      if (!this.sink.take(bytes)) return;
    } catch (error) {
      return this.fail(error);
    }
    this.complete();
  }

  /** The rest of the answer is of no interest. */
  private complete(): void {
    this.finish();
    this.decoder?.destroy();
    this.controller?.abort(new DOMException('The answer is complete', 'AbortError'));
  }

  private finish(): void {
    if (this.isOver || this.sink === null) return;
    let answer: T;
    try {
      answer = this.sink.end();
    } catch (error) {
      return this.fail(error);
    }
    this.leave();
    this.resolve(answer);
  }

  private fail(error: unknown): void {
    if (this.isOver) return;
    this.leave();
    this.reject(error);
    this.decoder?.destroy();
    this.controller?.abort(error instanceof Error ? error : new Error('The answer cannot be read', { cause: error }));
  }

  private leave(): void {
    this.isOver = true;
    this.deadline.onEnd = null;
  }
}
