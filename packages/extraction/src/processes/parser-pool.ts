import { AppError, Semaphore } from '@bellwether/kernel';
import { ExtractionError } from '../document/extraction.errors';
import type { ExtractedDocument, ExtractionInput, ExtractionLimits } from '../document/extraction.types';
import { ParserLost, ParserProcess } from './parser-process';

export interface PoolOptions {
  readonly file: string;
  readonly processes: number;
  /** Milliseconds after which an idle process is ended. */
  readonly idleMs: number;
  readonly limits: ExtractionLimits;
}

const KILLED_TWICE = 'Two processes were killed while they read the document; save it in another format or in parts';

/** Limits memory leaks of the libraries. */
const DOCUMENTS_PER_PROCESS = 200;

/** A pool of parser processes: started on demand, reused, killed when idle. First come, first served. */
export class ParserPool {
  private readonly idle: ParserProcess[] = [];
  private readonly all = new Set<ParserProcess>();
  private readonly closing = new AbortController();
  private readonly semaphore: Semaphore;
  private idleTimer: NodeJS.Timeout | null = null;

  constructor(private readonly options: PoolOptions) {
    this.semaphore = new Semaphore(options.processes);
  }

  get pids(): readonly number[] {
    return [...this.all].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Retries once in a new process when a process is lost.
   * @throws {ExtractionError}; {AppError} `unavailable` when no process starts; the signal's reason
   */
  async parse(input: ExtractionInput, signal: AbortSignal | undefined): Promise<ExtractedDocument> {
    const ending = AbortSignal.any([this.closing.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      return await this.semaphore.run(() => this.parseTwice(input, ending), ending);
    } catch (error) {
      if (!(error instanceof ParserLost)) throw error;
      throw new AppError('unavailable', 'The document could not be read now; try again later', { cause: error });
    } finally {
      if (this.semaphore.isIdle && !this.closing.signal.aborted) this.endIdleLater();
    }
  }

  close(): void {
    this.closing.abort(new DOMException('The service is stopping', 'AbortError'));
    if (this.idleTimer !== null) clearTimeout(this.idleTimer);
    for (const parser of this.all) parser.kill();
  }

  private async parseTwice(input: ExtractionInput, signal: AbortSignal): Promise<ExtractedDocument> {
    try {
      return await this.parseIn(this.idleOne() ?? this.start(), input, signal);
    } catch (error) {
      if (!(error instanceof ParserLost)) throw error;
      return await this.parseIn(this.start(), input, signal).catch((again: unknown) => {
        const isReason = error.wasReading && again instanceof ParserLost && again.wasReading;
        throw isReason ? new ExtractionError('document.resource', KILLED_TWICE, { cause: again }) : again;
      });
    }
  }

  private async parseIn(
    parser: ParserProcess,
    input: ExtractionInput,
    signal: AbortSignal,
  ): Promise<ExtractedDocument> {
    try {
      return await parser.parse(input, this.options.limits, signal);
    } finally {
      if (signal.aborted || parser.served >= DOCUMENTS_PER_PROCESS) parser.kill();
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
    const parser = ParserProcess.start(this.options.file, this.options.limits, (gone) => this.all.delete(gone));
    this.all.add(parser);
    return parser;
  }

  private endIdleLater(): void {
    this.idleTimer = setTimeout(() => {
      for (const parser of this.idle.splice(0)) parser.kill();
    }, this.options.idleMs).unref();
  }
}
