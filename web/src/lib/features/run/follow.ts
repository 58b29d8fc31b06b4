import { EventSourceParserStream } from 'eventsource-parser/stream';
import { refused } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { isTerminal, type RunEvent } from './run-events';

export type Link = 'connecting' | 'open' | 'waiting';

export interface Following {
  /** `seq` of the last event that is known; what came after it is asked for. */
  readonly after: number;
  readonly signal: AbortSignal;
  readonly onevent: (event: RunEvent) => void;
  readonly onlink?: (link: Link) => void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Later attempts cannot help these. */
const FINAL: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

const NO_CONTENT = 204;

/**
 * Reads the events of a run until it has ended, across lost connections: each attempt goes on behind the last event.
 * Resolves at the end or when `signal` is aborted. @throws {ProblemError} when the run cannot be read at all.
 */
export async function follow(id: string, { after, signal, onevent, onlink }: Following): Promise<void> {
  let last = after;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    onlink?.('connecting');
    try {
      const response = await open(id, last, signal);
      if (response === null) return;
      onlink?.('open');
      for await (const event of eventsOf(response)) {
        pause = FIRST_PAUSE_MS;
        last = Math.max(last, event.seq);
        onevent(event);
        if (isTerminal(event)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ProblemError && FINAL.has(error.status)) throw error;
    }
    onlink?.('waiting');
    await pauseFor(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** Null when the run has ended and everything is known. */
async function open(id: string, after: number, signal: AbortSignal): Promise<Response | null> {
  const response = await fetch(`/api/v1/runs/${encodeURIComponent(id)}/events?after=${after}`, {
    headers: { accept: 'text/event-stream' },
    signal,
  });
  if (response.status === NO_CONTENT) return null;
  if (!response.ok) throw await refused(response);
  return response;
}

async function* eventsOf(response: Response): AsyncGenerator<RunEvent> {
  if (response.body === null) return;
  const reader = response.body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield JSON.parse(value.data) as RunEvent;
    }
  } finally {
    // Whoever stops reading lets the connection go.
    void reader.cancel().catch(() => undefined);
  }
}

/** Ends early when the browser is back online. */
function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    // Spread, so that many pages do not come back at one moment.
    const timer = setTimeout(done, ms * (0.75 + Math.random() / 2));
    addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}
