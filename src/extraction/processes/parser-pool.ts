import type { ExtractedDocument, ExtractionInput, ExtractionLimits } from '../extraction.types';
import { AppError } from '../../kernel';
import { ParserLost } from './parser-end';
import { aborted, ParserProcess } from './parser-process';

export interface PoolOptions {
  readonly file: string;
  readonly processes: number;
  /** Milliseconds after which an idle process is ended. */
  readonly idleMs: number;
  readonly limits: ExtractionLimits;
}

/** A process is replaced after this many documents: what the libraries leak stays small. */
const DOCUMENTS_PER_PROCESS = 200;

interface Turn {
  take(): void;
  refuse(error: Error): void;
}

/** A few parser processes, started when needed, used again, ended when idle. Documents wait in the order they came. */
export class ParserPool {
  private readonly idle: ParserProcess[] = [];
  private readonly all = new Set<ParserProcess>();
  private readonly queue: Turn[] = [];
  private busy = 0;
  private closed = false;
  private idleTimer: NodeJS.Timeout | null = null;

  constructor(private readonly options: PoolOptions) {}

  /** Process ids of the parsers that run now. */
  get pids(): readonly number[] {
    return [...this.all].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * A document whose process is lost through no fault of its own is read once more, in a fresh one.
   * @throws {ExtractionError}; AppError `unavailable` when processes cannot be had now; the signal's reason when it aborts.
   */
  async parse(input: ExtractionInput, signal: AbortSignal | undefined): Promise<ExtractedDocument> {
    await this.turn(signal);
    try {
      return await this.parseIn(this.idleOne(), input, signal).catch((error: unknown) => {
        if (error instanceof ParserLost) return this.parseIn(null, input, signal);
        throw error;
      });
    } catch (error) {
      if (!(error instanceof ParserLost)) throw error;
      throw new AppError('unavailable', 'The document could not be read now; try again later', { cause: error });
    } finally {
      this.endTurn();
    }
  }

  close(): void {
    this.closed = true;
    if (this.idleTimer !== null) clearTimeout(this.idleTimer);
    for (const turn of this.queue.splice(0)) turn.refuse(stopped());
    for (const parser of this.all) parser.kill();
  }

  private turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.closed) return Promise.reject(stopped());
    if (signal?.aborted === true) return Promise.reject(aborted(signal));
    if (this.busy < this.options.processes) {
      this.busy += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.queue.splice(this.queue.indexOf(turn), 1);
        reject(aborted(signal));
      };
      const turn: Turn = {
        take: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.queue.push(turn);
    });
  }

  private async parseIn(
    idle: ParserProcess | null,
    input: ExtractionInput,
    signal: AbortSignal | undefined,
  ): Promise<ExtractedDocument> {
    const parser = idle ?? this.start();
    try {
      return await parser.parse(input, this.options.limits, signal);
    } catch (error) {
      if (this.closed && error instanceof ParserLost) throw stopped();
      throw error;
    } finally {
      if (this.closed || parser.served >= DOCUMENTS_PER_PROCESS) parser.kill();
      else if (parser.usable) this.idle.push(parser);
    }
  }

  private idleOne(): ParserProcess | null {
    if (this.idleTimer !== null) clearTimeout(this.idleTimer);
    this.idleTimer = null;
    for (let parser = this.idle.pop(); parser !== undefined; parser = this.idle.pop()) if (parser.usable) return parser;
    return null;
  }

  private start(): ParserProcess {
    if (this.closed) throw stopped();
    const parser = ParserProcess.start(this.options.file, this.options.limits, (gone) => this.all.delete(gone));
    this.all.add(parser);
    return parser;
  }

  private endTurn(): void {
    const next = this.queue.shift();
    if (next !== undefined) return next.take();
    this.busy -= 1;
    if (this.busy === 0) this.waitIdle();
  }

  private waitIdle(): void {
    this.idleTimer = setTimeout(() => {
      for (const parser of this.idle.splice(0)) parser.kill();
    }, this.options.idleMs).unref();
  }
}

const stopped = (): Error => new DOMException('The service is stopping', 'AbortError');
