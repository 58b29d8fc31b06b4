import { AppError } from '@bellwether/kernel';
import { Worker } from 'node:worker_threads';
import { EMBEDDER_FILE } from './embedder-file';
import type { EmbedderData, FromEmbedder, ToEmbedder } from './embedder-thread';
import type { ModelFolder } from './model-folder';

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 32 };
/** Value of `embedding.provider`. */
const FOLDER = 'folder';

interface Asked {
  readonly model: string;
  readonly texts: readonly string[];
  /** Null: as many as the model has. */
  readonly dimensions: number | null;
}

interface Patience {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const toldOnConsole = (error: Error): void => console.error('The thread of the model folder broke', error);

/**
 * Embeds with the operator's model folder, in a thread that starts with the first text. Calls run one at a time. Once the
 * model is read, a call over its time limit ends the thread; the next call starts another one.
 */
export class FolderEmbeddings {
  /** How the service lists and asks it; `vendor` null: nothing leaves the service. */
  readonly definition;
  private readonly waiting = new Map<number, (told: FromEmbedder) => void>();
  private thread: Worker | null = null;
  private last = 0;
  /** Whether the thread has read the model. Reading a large one takes longer than the time limit of a question. */
  private isRead = false;

  constructor(
    private readonly folder: ModelFolder,
    private readonly onBroken: (error: Error) => void = toldOnConsole,
  ) {
    const ability = { defaultModel: folder.name, maxTexts: 32, maxChars: 100_000, parallel: 1 };
    this.definition = { ...ability, name: FOLDER, vendor: null, version: folder.version };
  }

  /** @throws {AppError} `upstream_rejected`, `upstream_error`, `upstream_timeout`, `cancelled` */
  async embed(
    { model, texts, dimensions }: Asked,
    _target: unknown,
    { signal, timeoutMs }: Patience,
  ): Promise<number[][]> {
    const { name } = this.folder;
    if (model !== name)
      throw new AppError('upstream_rejected', `The model folder of this service is ${name}, not ${model}`);
    if (dimensions !== null && dimensions !== this.folder.dimensions) {
      throw new AppError('upstream_rejected', `The model ${name} has ${this.folder.dimensions} dimensions`);
    }
    const told = await this.ask(texts, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), signal);
    if ('vectors' in told) return told.vectors;
    throw new AppError('upstream_error', `The model folder ${name} cannot be used: ${told.error}`);
  }

  async end(): Promise<void> {
    await this.thread?.terminate();
  }

  private ask(texts: readonly string[], limit: AbortSignal, caller: AbortSignal): Promise<FromEmbedder> {
    if (caller.aborted) return Promise.reject(cancelled());
    const id = ++this.last;
    const thread = (this.thread ??= this.started());
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.waiting.delete(id);
        if (caller.aborted) return reject(cancelled());
        reject(new AppError('upstream_timeout', `The model folder ${this.folder.name} took too long`));
        if (!this.isRead) return;
        this.forget(thread);
        void thread.terminate();
      };
      limit.addEventListener('abort', stop, { once: true });
      this.waiting.set(id, (told) => {
        limit.removeEventListener('abort', stop);
        this.waiting.delete(id);
        resolve(told);
      });
      thread.postMessage({ id, texts } satisfies ToEmbedder);
    });
  }

  private started(): Worker {
    const workerData: EmbedderData = this.folder;
    const thread = new Worker(EMBEDDER_FILE, { workerData, resourceLimits: RESOURCE_LIMITS });
    thread.unref();
    thread.on('message', (told: FromEmbedder) => {
      this.isRead = true;
      this.waiting.get(told.id)?.(told);
    });
    thread.on('error', (error) => {
      this.onBroken(error);
      this.forget(thread);
    });
    thread.on('exit', () => this.forget(thread));
    return thread;
  }

  /** A thread that ended: its callers get an error. */
  private forget(thread: Worker): void {
    if (this.thread !== thread) return;
    this.thread = null;
    this.isRead = false;
    for (const [id, answer] of this.waiting) answer({ id, error: 'its thread ended' });
  }
}

const cancelled = (): AppError => new AppError('cancelled', 'The caller no longer waits for the vectors');
