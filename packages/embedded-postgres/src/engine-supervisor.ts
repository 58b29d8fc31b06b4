import { fork } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { FromWorker, ToWorker, WorkerSettings } from './worker-messages';

/**
 * The engine checks its stack against a limit of its own, above the default of a thread. With less stack, a deeply
 * nested expression corrupts the engine.
 */
const STACK_MB = 64;

/**
 * Keeps V8 from optimizing WebAssembly. On Node 24 the optimizing compiler takes 600 MB for one function of the engine,
 * the interpreter of expressions. Statements cost about a third more without it.
 */
const ENGINE_FLAGS = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/** One engine in one thread, from `start` until it is closed or breaks. */
export class EngineThread {
  private constructor(
    private readonly worker: Worker,
    /** Resolves with the reason when the engine is lost. */
    readonly broken: Promise<string>,
  ) {}

  /** Rejects when the engine cannot start, with its own words. */
  static async start(workerFile: string, settings: WorkerSettings): Promise<EngineThread> {
    for (const flag of ENGINE_FLAGS) setFlagsFromString(flag);
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

/** The part of a logger that the engine needs. */
export interface EngineLogger {
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface SupervisorOptions {
  readonly workerFile?: string;
  readonly logger: EngineLogger;
}

/** Restarts within a minute. After more failures the engine stays down. */
const MOST_RESTARTS = 3;

/** Rejects with the reason of the process that creates the directory. */
function createIn(file: string, settings: WorkerSettings): Promise<void> {
  const child = fork(file, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    let reason: string | null = null;
    child.once('message', (said: string) => (reason = said));
    // A fork that failed is told twice: by itself and by the message that cannot be sent.
    child.on('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(reason ?? `the process that creates it ended with ${signal ?? `code ${code}`}`));
    });
    child.send(settings);
  });
}

/** Restarts a broken engine in a new thread, which recovers from the write-ahead log. */
export class EngineSupervisor {
  private readonly logger: EngineLogger;
  private readonly workerFile: string;
  private thread: EngineThread | null = null;
  private restarts: number[] = [];
  private restarting = Promise.resolve();
  private closing = false;

  constructor(
    private readonly settings: WorkerSettings & { readonly directory: string },
    options: SupervisorOptions,
  ) {
    this.logger = options.logger;
    this.workerFile = options.workerFile ?? join(__dirname, 'embedded.worker.js');
  }

  async start(): Promise<void> {
    await this.create();
    await this.run();
  }

  async dump(file: string): Promise<void> {
    if (!this.thread) throw new Error('The embedded database does not run');
    await this.thread.dump(file);
  }

  /** Never rejects: a failed close loses nothing, because the write-ahead log holds unwritten data. */
  async close(): Promise<void> {
    this.closing = true;
    await this.restarting;
    await this.thread?.close().catch((error: Error) => this.logger.error(`The engine broke: ${error.message}`));
  }

  /**
   * Creates a missing data directory in a process of its own. A thread would leave 200 MB behind. A directory whose
   * creation was interrupted holds no data yet and is created again.
   */
  private async create(): Promise<void> {
    const { directory } = this.settings;
    const unfinished = `${directory}.unfinished`;
    if (existsSync(unfinished)) rmSync(directory, { recursive: true, force: true });
    if (existsSync(directory)) return;
    writeFileSync(unfinished, '');
    mkdirSync(directory, { mode: 0o700 });
    await createIn(join(dirname(this.workerFile), 'creator-main.js'), this.settings);
    rmSync(unfinished);
  }

  private async run(): Promise<void> {
    // The template is used only to create the directory.
    const { template: _template, ...settings } = this.settings;
    const thread = await this.spawn(settings);
    this.thread = thread;
    void thread.broken.then((reason) => {
      if (!this.closing) this.restarting = this.replace(thread, reason);
    });
  }

  private spawn(settings: WorkerSettings): Promise<EngineThread> {
    rmSync(settings.socketPath, { force: true });
    return EngineThread.start(this.workerFile, settings);
  }

  private async replace(thread: EngineThread, reason: string): Promise<void> {
    this.thread = null;
    this.logger.error(`The engine broke: ${reason}`);
    await thread.kill();
    const now = performance.now();
    this.restarts = [...this.restarts.filter((at) => now - at < 60_000), now];
    if (this.restarts.length > MOST_RESTARTS) {
      this.logger.error('The engine breaks again and again; it stays down');
      return;
    }
    await this.run().then(
      () => this.logger.warn('The engine runs again, recovered from its log'),
      (error: Error) => this.logger.error(`The engine cannot start again: ${error.message}`),
    );
  }
}
