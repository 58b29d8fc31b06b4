import type { TestApp } from './app';

export interface RunFrame {
  readonly id: number;
  readonly event: string;
  /** Parsed; loose on purpose: tests assert shapes. */
  readonly data: any;
  /** The frame's bytes. */
  readonly raw: string;
}

export interface ReadEvents {
  readonly status: number;
  readonly headers: Headers;
  readonly frames: readonly RunFrame[];
  readonly types: readonly string[];
  /** Deltas put together. */
  readonly answer: string;
  /** The frames' bytes, without comments. */
  readonly raw: string;
}

/** A reader of a running run. */
export interface Following {
  readonly frames: RunFrame[];
  /** Resolves when the server has ended the answer, or the reader has left. */
  readonly ended: Promise<void>;
  leave(): void;
}

export type Service = Pick<TestApp, 'url' | 'adminKey'>;

const fieldOf = (block: string, name: string): string =>
  block
    .split('\n')
    .filter((line) => line.startsWith(`${name}: `))
    .map((line) => line.slice(name.length + 2))
    .join('\n');

const isFrame = (block: string): boolean => /^(?:id|event|data):/.test(block);

const frameOf = (block: string): RunFrame => ({
  id: Number(fieldOf(block, 'id')),
  event: fieldOf(block, 'event'),
  data: JSON.parse(fieldOf(block, 'data')),
  raw: `${block}\n\n`,
});

const ask = (
  { url, adminKey }: Service,
  path: string,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${url}/api/v1/runs/${path}`, {
    headers: { ...('cookie' in headers ? {} : { authorization: `Bearer ${adminKey}` }), ...headers },
    ...(signal === undefined ? {} : { signal }),
  });

/** Reads the events of a run (`{id}/events?…`) to the end of the answer. */
export async function readEvents(
  app: Service,
  path: string,
  headers: Record<string, string> = {},
): Promise<ReadEvents> {
  const response = await ask(app, path, headers);
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const frames = isStream ? text.split('\n\n').filter(isFrame).map(frameOf) : [];
  return {
    status: response.status,
    headers: response.headers,
    frames,
    types: frames.map(({ event }) => event),
    answer: answerOf(frames),
    raw: frames.map(({ raw }) => raw).join(''),
  };
}

export const answerOf = (frames: readonly RunFrame[]): string =>
  frames.map(({ event, data }) => (event === 'llm.delta' ? (data.text as string) : '')).join('');

/** Reads the events while the run is running. */
export async function follow(app: Service, path: string, headers: Record<string, string> = {}): Promise<Following> {
  const controller = new AbortController();
  const response = await ask(app, path, headers, controller.signal);
  if (response.status !== 200 || response.body === null) throw new Error(`events: HTTP ${response.status}`);
  const frames: RunFrame[] = [];
  const read = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    let held = '';
    for await (const chunk of body) {
      const blocks = (held + decoder.decode(chunk, { stream: true })).split('\n\n');
      held = blocks.pop() ?? '';
      frames.push(...blocks.filter(isFrame).map(frameOf));
    }
  };
  const ended = read(response.body).catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
  });
  return { frames, ended, leave: () => controller.abort() };
}

const TERMINAL = /^run\.(completed|failed|cancelled)$/;

/** Flaws of a whole log: gaps, duplicates, a missing or second end, events after it. */
export function flawsOf(frames: readonly RunFrame[]): string[] {
  const flaws: string[] = [];
  frames.forEach(({ id, event, data }, n) => {
    if (id !== n + 1) flaws.push(`event ${n + 1} has the id ${id}`);
    if (data.seq !== id || data.type !== event) flaws.push(`event ${id} says ${data.seq} ${data.type} in its data`);
    if (TERMINAL.test(event) !== (n === frames.length - 1)) flaws.push(`${event} at ${n + 1} of ${frames.length}`);
  });
  if (frames.length === 0) flaws.push('there are no events');
  return flaws;
}
