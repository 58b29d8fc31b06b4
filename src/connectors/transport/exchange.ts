import { AsyncResource } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { decoderOf } from '../../infrastructure/outbound';
import type { CallDeadline } from './call-deadline';

type Controller = Dispatcher.DispatchController;

export interface AnswerHead {
  readonly statusCode: number;
  readonly headers: Dispatcher.ResponseData['headers'];
}

/** Takes the body of one answer. Whatever it throws or rejects with ends the exchange. */
export interface AnswerSink<T> {
  /** True once nothing more is expected. */
  readonly done?: boolean;
  /** True once a loss of the rest does no harm. */
  readonly finished?: boolean;
  /** A promise stops the reading until it resolves. */
  take(bytes: Buffer): Promise<void> | undefined;
  end(): T | Promise<T>;
}

/**
 * Sends one request and reads its answer as it arrives, with no stream or promise between the socket and the sink that
 * `open` makes for it. The sink runs in the caller's async context.
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

/** How long the rest of a complete answer may take before its connection is closed instead of kept. Milliseconds. */
const DRAIN_MS = 1_000;

const aborted = (message: string): Error => new DOMException(message, 'AbortError');

/** The socket belongs to many requests, so its events come in the async context of another one. */
class Exchange<T> extends AsyncResource implements Dispatcher.DispatchHandler {
  private controller: Controller | null = null;
  private sink: AnswerSink<T> | null = null;
  private decoder: (NodeJS.ReadWriteStream & Readable) | null = null;
  private draining: NodeJS.Timeout | undefined;
  private held: Promise<void> | null = null;
  private isOver = false;

  constructor(
    private readonly deadline: CallDeadline,
    private readonly open: (head: AnswerHead) => AnswerSink<T>,
    private readonly resolve: (answer: T | Promise<T>) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    super('Exchange');
    deadline.onEnd = () => this.lose(aborted('The call was ended'));
    if (deadline.hasEnded) this.fail(aborted('The call was ended'));
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller;
    // The deadline may end a request that waits for a connection.
    if (this.isOver) controller.abort(aborted('The call was ended'));
  }

  onResponseStart(_: Controller, statusCode: number, headers: Dispatcher.ResponseData['headers']): void {
    // A status below 200 announces another one (RFC 9110 §15.2).
    if (statusCode < 200 || this.isOver) return;
    try {
      this.sink = this.runInAsyncScope(this.open, undefined, { statusCode, headers });
      this.decoder = decoderOf(headers);
    } catch (error) {
      return this.fail(error);
    }
    this.decoder
      ?.on('data', (bytes: Buffer) => this.receive(bytes))
      .on('drain', () => this.controller?.resume())
      // Bytes after the compressed ones end the decoder before the answer ends.
      .once('end', () => this.cut())
      .once('error', (error) => this.lose(error));
  }

  onResponseData(controller: Controller, bytes: Buffer): void {
    if (this.isOver) return;
    if (this.decoder === null) this.receive(bytes);
    else if (!this.decoder.write(bytes)) controller.pause();
  }

  onResponseEnd(): void {
    clearTimeout(this.draining);
    if (this.decoder === null) this.finish();
    else this.decoder.end();
  }

  onResponseError(_: Controller, error: Error): void {
    clearTimeout(this.draining);
    this.lose(error);
  }

  private receive(bytes: Buffer): void {
    const { sink } = this;
    if (this.isOver || sink === null) return;
    let held: Promise<void> | undefined;
    try {
      held = this.runInAsyncScope(() => sink.take(bytes));
    } catch (error) {
      return this.fail(error);
    }
    if (held !== undefined) this.hold(held, sink);
    else if (sink.done === true) this.complete();
  }

  private hold(held: Promise<void>, sink: AnswerSink<T>): void {
    const source = this.decoder ?? this.controller;
    source?.pause();
    this.held = held;
    held.then(
      () => {
        this.held = null;
        if (sink.done === true) this.complete();
        else if (!this.isOver) source?.resume();
      },
      (error: unknown) => this.fail(error),
    );
  }

  /** The rest of the answer is of no interest. Its connection can be used again when it ends soon. */
  private complete(): void {
    if (this.isOver) return;
    this.draining = setTimeout(() => this.controller?.abort(aborted('The answer is complete')), DRAIN_MS).unref();
    this.finish();
    this.decoder?.destroy();
    this.controller?.resume();
  }

  private cut(): void {
    this.finish();
    this.controller?.abort(aborted('The answer is complete'));
  }

  /** The connection broke, or the time is over. */
  private lose(error: Error): void {
    if (this.held !== null) {
      // The sink first takes what it has got.
      this.held.then(
        () => this.lose(error),
        () => undefined,
      );
      this.controller?.abort(error);
    } else if (this.sink?.finished === true) this.cut();
    else this.fail(error);
  }

  private finish(): void {
    const { sink, held } = this;
    if (this.isOver || sink === null) return;
    if (held !== null) {
      // The sink first takes what it has got; its failure ends the answer.
      held.then(
        () => this.finish(),
        () => undefined,
      );
      return;
    }
    let answer: T | Promise<T>;
    try {
      answer = this.runInAsyncScope(() => sink.end());
    } catch (error) {
      return this.fail(error);
    }
    this.leave();
    this.resolve(answer);
  }

  private fail(error: unknown): void {
    if (this.isOver) return;
    this.leave();
    clearTimeout(this.draining);
    this.reject(error);
    this.decoder?.destroy();
    this.controller?.abort(error instanceof Error ? error : new Error('The answer cannot be read', { cause: error }));
  }

  private leave(): void {
    this.isOver = true;
    this.deadline.onEnd = null;
  }
}
