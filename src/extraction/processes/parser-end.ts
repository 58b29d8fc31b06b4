import { ExtractionError } from '../document/extraction.errors';

/** How a parser ends itself when its memory is over the limit: nobody else sends this, and it ends a busy process at once. */
export const OVER_MEMORY: NodeJS.Signals = 'SIGUSR2';

/** How V8 ends a process whose heap is full. */
const HEAP_FULL: readonly NodeJS.Signals[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];
const CRASHES: readonly NodeJS.Signals[] = ['SIGSEGV', 'SIGBUS', 'SIGFPE'];

/** The process that read a document is gone, and not on account of the document: it never started, or somebody ended it. */
export class ParserLost extends Error {
  constructor(reason: string) {
    super(`A parser process was lost: ${reason}`);
    this.name = 'ParserLost';
  }
}

export interface ParserEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Whose doing the end of a process was that had a document in hand. */
export function explainEnd({ code, signal }: ParserEnd, memoryMb: number): ExtractionError | ParserLost {
  if (signal === OVER_MEMORY || (signal !== null && HEAP_FULL.includes(signal))) {
    return new ExtractionError('document.resource', `Reading the document took more than ${memoryMb} MB of memory`);
  }
  if (signal !== null && CRASHES.includes(signal)) {
    return new ExtractionError('document.malformed', `The document is damaged and cannot be read (${signal})`);
  }
  return new ParserLost(signal ?? `exit code ${code ?? 'unknown'}`);
}
