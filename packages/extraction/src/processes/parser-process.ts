import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { ExtractionError, type ExtractionErrorCode } from '../document/extraction.errors';
import type { ExtractedDocument, ExtractionInput, ExtractionLimits } from '../document/extraction.types';

/** A parser process over its memory limit kills itself with this signal, which ends a busy process at once. */
export const OVER_MEMORY: NodeJS.Signals = 'SIGUSR2';

/** Signals of V8 when the heap is full. */
const HEAP_FULL: readonly NodeJS.Signals[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];
const CRASHES: readonly NodeJS.Signals[] = ['SIGSEGV', 'SIGBUS', 'SIGFPE'];

/** The process ended for a reason other than the document: it did not start, or was killed from outside. */
export class ParserLost extends Error {
  constructor(
    reason: string,
    /** True when it was killed while it read the document, perhaps by the kernel for its memory. */
    readonly wasReading = false,
  ) {
    super(`A parser process was lost: ${reason}`);
    this.name = 'ParserLost';
  }
}

interface ParserExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Error for a process that ended while it read a document. */
function explainExit({ code, signal }: ParserExit, memoryMb: number): ExtractionError | ParserLost {
  if (signal === OVER_MEMORY || (signal !== null && HEAP_FULL.includes(signal))) {
    return new ExtractionError('document.resource', `Reading the document took more than ${memoryMb} MB of memory`);
  }
  if (signal !== null && CRASHES.includes(signal)) {
    return new ExtractionError('document.malformed', `The document is damaged and cannot be read (${signal})`);
  }
  return new ParserLost(signal ?? `exit code ${code ?? 'unknown'}`, signal === 'SIGKILL');
}

export interface ToParser extends Omit<ExtractionInput, 'bytes'> {
  /** Correlates the answer with the request. */
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly limits: ExtractionLimits;
}

export type FromParser =
  | { readonly type: 'ready' }
  | ParserAnswer
  /** Uncaught error, perhaps of an earlier document. */
  | ({ readonly type: 'stray' } & Untrusted);

export type ParserAnswer = { readonly id: number } & (
  | { readonly type: 'document'; readonly document: ExtractedDocument }
  /** The document was rejected; the process can be used again. */
  | { readonly type: 'refused'; readonly code: ExtractionErrorCode; readonly message: string }
  /** Unexpected error of a library for this document. */
  | ({ readonly type: 'broken' } & Untrusted)
);

/** The process must not be used again. `reason` is the class of the error, never its message. */
interface Untrusted {
  readonly reason: string;
}

type Outcome = ParserAnswer | Extract<FromParser, { type: 'stray' }> | ({ readonly type: 'gone' } & ParserExit);

interface Waiting {
  readonly id: number;
  settle(outcome: Outcome): void;
}

const UNKNOWN_END: Outcome = { type: 'gone', code: null, signal: null };

/** Share of the memory limit for V8's heap. The rest is for buffers and code. */
const HEAP_SHARE = 0.75;

/** Gives about a third of a busy CPU: requests go first, and documents still finish in time. */
const NICENESS = 5;

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/**
 * A child process that reads one document at a time, without environment and output, with a bounded heap and lower priority.
 * It kills itself over its memory limit or when the service is gone.
 */
export class ParserProcess {
  private readonly child: ChildProcess;
  private waiting: Waiting | null = null;
  /** Documents read so far. */
  served = 0;
  /** False after its end or a failure. */
  usable = true;

  private constructor(file: string, { memoryMb }: ExtractionLimits, onExit: (parser: ParserProcess) => void) {
    this.child = fork(file, [String(memoryMb), String(process.pid)], {
      env: {},
      execArgv: [`--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child.on('message', (message: FromParser) => this.hear(message));
    this.child.once('exit', (code, signal) => this.gone({ type: 'gone', code, signal }, onExit));
    this.child.once('error', () => this.gone(UNKNOWN_END, onExit));
    this.lowerPriority();
    this.rest();
  }

  /** @throws {ParserLost} when no process can be started */
  static start(file: string, limits: ExtractionLimits, onExit: (parser: ParserProcess) => void): ParserProcess {
    try {
      return new ParserProcess(file, limits, onExit);
    } catch (error) {
      throw new ParserLost(error instanceof Error ? error.message : 'it did not start');
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** @throws {ExtractionError}; {ParserLost} when the document is not the reason; the signal's reason */
  async parse(input: ExtractionInput, limits: ExtractionLimits, signal: AbortSignal): Promise<ExtractedDocument> {
    signal.throwIfAborted();
    let ended: 'timeout' | 'abort' | null = null;
    const end = (why: 'timeout' | 'abort'): void => {
      ended = why;
      this.kill();
    };
    const onAbort = (): void => end('abort');
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => end('timeout'), limits.timeoutMs);
    this.wake();
    try {
      const outcome = await this.ask({ ...input, id: this.served, limits });
      if (ended === 'abort') throw signal.reason as Error;
      if (ended === 'timeout') {
        const detail = `Reading the document took longer than ${seconds(limits.timeoutMs)}`;
        throw new ExtractionError('document.timeout', detail);
      }
      return this.understand(outcome, limits);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.rest();
    }
  }

  kill(): void {
    this.usable = false;
    this.child.kill('SIGKILL');
  }

  private ask(message: ToParser): Promise<Outcome> {
    return new Promise((resolve) => {
      this.waiting = { id: message.id, settle: resolve };
      if (!this.usable) return this.settle(UNKNOWN_END);
      this.child.send(message, (error) => {
        // If the process has ended, its exit event tells why.
        if (error !== null && this.child.exitCode === null && this.child.signalCode === null) this.settle(UNKNOWN_END);
      });
    });
  }

  private understand(outcome: Outcome, { memoryMb }: ExtractionLimits): ExtractedDocument {
    const isFirst = this.served === 0;
    this.served += 1;
    if (outcome.type === 'document') return outcome.document;
    if (outcome.type === 'refused') throw new ExtractionError(outcome.code, outcome.message);
    this.kill();
    if (outcome.type === 'gone') throw explainExit(outcome, memoryMb);
    // For the first document, the error cannot come from an earlier one.
    if (outcome.type === 'stray' && !isFirst) throw new ParserLost(outcome.reason);
    throw new ExtractionError('document.malformed', `The document is damaged and cannot be read (${outcome.reason})`);
  }

  private hear(message: FromParser): void {
    if (message.type === 'ready') return;
    if (message.type === 'stray' && this.waiting === null) this.kill();
    else if (message.type === 'stray' || message.id === this.waiting?.id) this.settle(message);
  }

  private settle(outcome: Outcome): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.settle(outcome);
  }

  private gone(end: Outcome, onExit: (parser: ParserProcess) => void): void {
    this.usable = false;
    this.settle(end);
    onExit(this);
  }

  private lowerPriority(): void {
    try {
      if (this.child.pid !== undefined) setPriority(this.child.pid, NICENESS);
    } catch {
      // Some systems forbid it: normal priority then.
    }
  }

  /** An idle parser does not keep the service alive. */
  private rest(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  private wake(): void {
    this.child.ref();
    this.child.channel?.ref();
  }
}
