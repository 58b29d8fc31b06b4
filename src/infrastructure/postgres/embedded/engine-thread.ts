import { Worker } from 'node:worker_threads';
import type { FromWorker, ToWorker, WorkerSettings } from './worker-messages';

/**
 * The engine checks its stack against a limit of its own, above the default of a thread. With less stack, a deeply
 * nested expression corrupts the engine.
 */
const STACK_MB = 64;

/** One engine in one thread, from `start` until it is closed or breaks. */
export class EngineThread {
  private constructor(
    private readonly worker: Worker,
    /** Resolves with the reason when the engine is lost. */
    readonly broken: Promise<string>,
  ) {}

  /** Rejects when the engine cannot start, with its own words. */
  static async start(workerFile: string, settings: WorkerSettings): Promise<EngineThread> {
    const worker = new Worker(workerFile, { workerData: settings, resourceLimits: { stackSizeMb: STACK_MB } });
    const broken = new Promise<string>((resolve) => {
      worker.on('message', (message: FromWorker) => message.type === 'broken' && resolve(message.reason));
      worker.on('error', (error) => resolve(error.message));
      worker.on('exit', (code) => resolve(`its thread ended with code ${code}`));
    });
    const thread = new EngineThread(worker, broken);
    await thread.answered('ready').catch(async (error: unknown) => {
      await worker.terminate();
      throw error;
    });
    return thread;
  }

  async dump(file: string): Promise<void> {
    const done = this.answered('dumped');
    this.tell({ type: 'dump', file });
    await done;
  }

  async close(): Promise<void> {
    const done = this.answered('closed');
    this.tell({ type: 'close' });
    await done.finally(() => this.worker.terminate());
  }

  async kill(): Promise<void> {
    await this.worker.terminate();
  }

  private tell(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private answered(type: FromWorker['type']): Promise<void> {
    return new Promise((resolve, reject) => {
      const hear = (message: FromWorker): void => {
        if (message.type !== type) return;
        this.worker.off('message', hear);
        resolve();
      };
      this.worker.on('message', hear);
      void this.broken.then((reason) => reject(new Error(reason)));
    });
  }
}
