import { ExtractionError } from '../document/extraction.errors';

/** A parser process over its memory limit kills itself with this signal, which ends a busy process at once. */
export const OVER_MEMORY: NodeJS.Signals = 'SIGUSR2';

/** Signals of V8 when the heap is full. */
const HEAP_FULL: readonly NodeJS.Signals[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];
const CRASHES: readonly NodeJS.Signals[] = ['SIGSEGV', 'SIGBUS', 'SIGFPE'];

/** The process ended for a reason other than the document: it did not start, or was killed from outside. */
export class ParserLost extends Error {
  constructor(
    reason: string,
    /** It was killed while it read the document, perhaps by the kernel for its memory. */
    readonly wasReading = false,
  ) {
    super(`A parser process was lost: ${reason}`);
    this.name = 'ParserLost';
  }
}

export interface ParserExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Error for a process that ended while it read a document. */
export function explainExit({ code, signal }: ParserExit, memoryMb: number): ExtractionError | ParserLost {
  if (signal === OVER_MEMORY || (signal !== null && HEAP_FULL.includes(signal))) {
    return new ExtractionError('document.resource', `Reading the document took more than ${memoryMb} MB of memory`);
  }
  if (signal !== null && CRASHES.includes(signal)) {
    return new ExtractionError('document.malformed', `The document is damaged and cannot be read (${signal})`);
  }
  return new ParserLost(signal ?? `exit code ${code ?? 'unknown'}`, signal === 'SIGKILL');
}
