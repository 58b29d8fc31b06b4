import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { ExtractionError } from '../extraction.errors';
import type { ExtractedDocument, ExtractionInput, ExtractionLimits } from '../extraction.types';
import type { FromParser, ToParser } from './parser-messages.types';

interface Waiting {
  settle(message: FromParser | null): void;
}

/** V8's heap gets this share of the resident memory; the rest is for buffers and code. */
const HEAP_SHARE = 0.75;

/** About a third of a busy processor: an answer goes first, and a document still ends within its time limit. */
const NICENESS = 5;

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

export const aborted = (signal: AbortSignal | undefined): Error =>
  signal?.reason instanceof Error ? signal.reason : new DOMException('The extraction was cancelled', 'AbortError');

/**
 * One process that reads one document at a time. It has no environment, no output and a bounded heap, runs at lower
 * priority, and ends itself when its memory grows over the limit or the service is gone, however busy a file keeps it.
 */
export class ParserProcess {
  private readonly child: ChildProcess;
  private waiting: Waiting | null = null;
  /** Documents read so far. */
  served = 0;
  /** False once it has ended, or is not to be used again. */
  usable = true;

  constructor(file: string, { memoryMb }: ExtractionLimits, onExit: (parser: ParserProcess) => void) {
    this.child = fork(file, [String(memoryMb)], {
      env: {},
      execArgv: [`--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child.on('message', (message: FromParser) => this.hear(message));
    this.child.once('exit', () => this.gone(onExit));
    this.child.once('error', () => this.gone(onExit));
    this.lowerPriority();
    this.rest();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** @throws {ExtractionError}; the signal's reason when it aborts. */
  async parse(
    { bytes, filename }: ExtractionInput,
    limits: ExtractionLimits,
    signal: AbortSignal | undefined,
  ): Promise<ExtractedDocument> {
    if (signal?.aborted === true) throw aborted(signal);
    let ended: 'timeout' | 'abort' | null = null;
    const end = (why: 'timeout' | 'abort'): void => {
      ended = why;
      this.kill();
    };
    const onAbort = (): void => end('abort');
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => end('timeout'), limits.timeoutMs);
    this.wake();
    try {
      const message = await this.ask({ bytes, filename, limits });
      if (ended === 'abort') throw aborted(signal);
      if (ended === 'timeout') {
        const detail = `Reading the document took longer than ${seconds(limits.timeoutMs)}`;
        throw new ExtractionError('document.timeout', detail);
      }
      return this.understand(message, limits);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.rest();
    }
  }

  kill(): void {
    this.usable = false;
    this.child.kill('SIGKILL');
  }

  private ask(message: ToParser): Promise<FromParser | null> {
    return new Promise((resolve) => {
      this.waiting = { settle: resolve };
      if (!this.usable) return this.settle(null);
      this.child.send(message, (error) => {
        if (error !== null) this.settle(null);
      });
    });
  }

  private understand(message: FromParser | null, { memoryMb }: ExtractionLimits): ExtractedDocument {
    this.served += 1;
    switch (message?.type) {
      case 'document':
        return message.document;
      case 'refused':
        throw new ExtractionError(message.code, message.message);
      case 'broken':
        this.kill();
        throw new ExtractionError(
          'document.malformed',
          `The document is damaged and cannot be read (${message.reason})`,
        );
      case 'ready':
      case undefined:
        this.kill();
        throw new ExtractionError('document.resource', `Reading the document took more than ${memoryMb} MB of memory`);
    }
  }

  private hear(message: FromParser): void {
    if (message.type !== 'ready') this.settle(message);
  }

  private settle(message: FromParser | null): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.settle(message);
  }

  private gone(onExit: (parser: ParserProcess) => void): void {
    this.usable = false;
    this.settle(null);
    onExit(this);
  }

  /** An answer to a user goes before a document in the background. */
  private lowerPriority(): void {
    try {
      if (this.child.pid !== undefined) setPriority(this.child.pid, NICENESS);
    } catch {
      // Some systems do not let a service do this; it then competes as an equal.
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
