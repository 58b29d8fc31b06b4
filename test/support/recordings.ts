import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOf, objectOf, stringOf } from './upstream-dialect';

/** One exchange with a vendor, as it went over the wire. */
export interface Recording {
  readonly name: string;
  readonly vendor: RecordedVendor;
  readonly status: number;
  readonly kind: 'json' | 'sse' | 'ndjson';
  readonly body: string;
}
export type RecordedVendor = 'openai' | 'anthropic' | 'google' | 'ollama';

/** Stands for arguments that the obvious reading cannot tell. */
export const UNREAD = Symbol('unread');

/** Content of an answer: its text, and name and arguments of each call. */
export interface Said {
  readonly text: string;
  readonly calls: readonly (readonly [name: string, given: unknown])[];
}

type Body = Readonly<Record<string, unknown>>;

const OWN = join(__dirname, '../fixtures/recordings');

/** The folder that `BENCH_DATA` names, or the one that it lies in (the benchmarks want its part `ir`); null without one. */
export function dataFolder(): string | null {
  const named = process.env['BENCH_DATA'] ?? '';
  if (named === '') return null;
  return [named, join(named, '..')].find((folder) => existsSync(join(folder, 'fixtures/llm-streams'))) ?? null;
}

export const ownRecordings = (): readonly Recording[] =>
  readdirSync(OWN)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => exchanges(join(OWN, file)));

export function sharedRecordings(): readonly Recording[] {
  const data = dataFolder();
  if (data === null) return [];
  const folder = join(data, 'fixtures/llm-streams');
  const vendors = ['openai', 'groq', 'mistral', 'anthropic', 'google'].filter((name) => existsSync(join(folder, name)));
  return [
    ...exchanges(join(folder, 'interactions.jsonl')),
    ...vendors.flatMap((name) => readdirSync(join(folder, name)).flatMap((file) => fromFile(folder, name, file))),
  ];
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');

/** `{name, uri, status, kind, body}`, one per line; those of APIs that no connector speaks are left out. */
function exchanges(file: string): readonly Recording[] {
  if (!existsSync(file)) return [];
  return linesOf(readFileSync(file, 'utf8')).flatMap((line) => {
    const { name, uri, status, kind, body } = JSON.parse(line) as Recording & { uri: string };
    const vendor = vendorAt(uri);
    return vendor === null ? [] : [{ name, vendor, status, kind, body: body.trimStart() }];
  });
}

function vendorAt(uri: string): RecordedVendor | null {
  const { pathname } = new URL(uri);
  if (pathname.endsWith('/chat/completions')) return 'openai';
  if (pathname.endsWith('/v1/messages')) return 'anthropic';
  if (/:(streamG|g)enerateContent$/.test(pathname)) return 'google';
  return pathname.endsWith('/api/chat') ? 'ollama' : null;
}

/** Recorded chunks, one JSON per line, and whole answers; told by their shape, for other APIs' are among them. */
function fromFile(folder: string, name: string, file: string): readonly Recording[] {
  const text = readFileSync(join(folder, name, file), 'utf8');
  const chunks = file.endsWith('.chunks.txt') ? linesOf(text) : null;
  if (chunks === null && !file.endsWith('.json')) return [];
  const vendor = vendorOf((chunks ?? [text]).map(parsed));
  if (vendor === null) return [];
  const head = { name: `${name}/${file}`, vendor, status: 200 };
  if (chunks === null) return [{ ...head, kind: 'json', body: text }];
  return answersIn(vendor, chunks).map((events, position) => ({
    ...head,
    name: position === 0 ? head.name : `${head.name}, answer ${position + 1}`,
    kind: 'sse' as const,
    body: (vendor === 'openai' ? [...events, '[DONE]'] : events).map((event) => eventOf(vendor, event)).join(''),
  }));
}

/**
 * Anthropic's recordings hold the answers of a whole conversation, one behind the other. Those that are not deltas (calls
 * from within the vendor's sandbox, which no connector asks for) are left out.
 */
function answersIn(vendor: RecordedVendor, chunks: readonly string[]): readonly (readonly string[])[] {
  const isEnd = (chunk: string | undefined): boolean => chunk !== undefined && parsed(chunk)['type'] === 'message_stop';
  const answers: string[][] = [];
  for (const chunk of chunks) {
    const current = answers.at(-1);
    if (current === undefined || (vendor === 'anthropic' && isEnd(current.at(-1)))) answers.push([chunk]);
    else current.push(chunk);
  }
  return vendor === 'anthropic' ? answers.filter((each) => each.some(isDelta)) : answers;
}

const isDelta = (chunk: string): boolean => parsed(chunk)['type'] === 'message_delta';

/** Some files are not JSON throughout. */
function parsed(text: string): Body {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

const eventOf = (vendor: RecordedVendor, data: string): string =>
  vendor === 'anthropic' ? `event: ${stringOf(parsed(data)['type'])}\ndata: ${data}\n\n` : `data: ${data}\n\n`;

function vendorOf(bodies: readonly Body[]): RecordedVendor | null {
  if (bodies.some(({ object }) => stringOf(object).startsWith('chat.completion'))) return 'openai';
  if (bodies.some(({ type }) => type === 'message' || type === 'message_start')) return 'anthropic';
  return bodies.some(({ candidates }) => Array.isArray(candidates)) ? 'google' : null;
}

/** The recording read the slow and obvious way. */
export function saidIn({ vendor, kind, body }: Recording): Said {
  const bodies = bodiesIn(kind, body);
  if (vendor === 'openai') return saidByOpenAi(bodies);
  if (vendor === 'ollama') return saidByOllama(bodies);
  return vendor === 'google' ? saidByGoogle(bodies) : saidByAnthropic(bodies);
}

function bodiesIn(kind: Recording['kind'], body: string): readonly Body[] {
  if (kind === 'json') return [objectOf(JSON.parse(body))];
  const lines = linesOf(body).map((line) => line.trim());
  const data =
    kind === 'ndjson' ? lines : lines.filter((line) => line.startsWith('data:')).map((l) => l.slice(5).trim());
  return data.filter((each) => each !== '[DONE]').map((each) => objectOf(JSON.parse(each)));
}

const argumentsIn = (text: string): unknown => (text === '' ? {} : (JSON.parse(text) as unknown));

const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .filter(({ type }) => type === 'text')
        .map(({ text }) => stringOf(text))
        .join('');

function saidByOpenAi(bodies: readonly Body[]): Said {
  const messages = bodies.flatMap(({ choices }) => {
    const [choice] = listOf(choices);
    return choice === undefined ? [] : [objectOf(choice['delta'] ?? choice['message'])];
  });
  const calls = new Map<string, { name: string; text: string }>();
  let latest = '';
  for (const call of messages.flatMap(({ tool_calls }) => listOf(tool_calls))) {
    const called = objectOf(call['function']);
    const key = typeof call['index'] === 'number' ? String(call['index']) : stringOf(call['id']) || latest;
    const known = calls.get(key) ?? { name: '', text: '' };
    calls.set(key, {
      name: known.name || stringOf(called['name']),
      text: known.text + stringOf(called['arguments']),
    });
    latest = key;
  }
  return {
    text: messages.map(({ content }) => textIn(content)).join(''),
    calls: [...calls.values()].map(({ name, text }) => [name, argumentsIn(text)] as const),
  };
}

const saidByOllama = (bodies: readonly Body[]): Said => {
  const messages = bodies.map(({ message }) => objectOf(message));
  return {
    text: messages.map(({ content }) => stringOf(content)).join(''),
    calls: messages.flatMap(({ tool_calls }) =>
      listOf(tool_calls).map(({ function: called }) => [
        stringOf(objectOf(called)['name']),
        objectOf(called)['arguments'],
      ]),
    ) as unknown as Said['calls'],
  };
};

function saidByGoogle(bodies: readonly Body[]): Said {
  const parts = bodies.flatMap(({ candidates }) => listOf(objectOf(listOf(candidates)[0]?.['content'])['parts']));
  return {
    text: parts
      .filter(({ thought }) => thought !== true)
      .map(({ text }) => stringOf(text))
      .join(''),
    calls: parts
      .map(({ functionCall }) => objectOf(functionCall))
      .filter(({ name }) => typeof name === 'string')
      // Arguments that come in pieces, each with a path.
      .map(({ name, args, willContinue }) => [stringOf(name), willContinue === true ? UNREAD : (args ?? {})] as const),
  };
}

/** A second beginning is a second try: the vendor's own clients forget what was before it. */
function saidByAnthropic(all: readonly Body[]): Said {
  const bodies = all.slice(Math.max(0, all.map(({ type }) => type).lastIndexOf('message_start')));
  const blocks = bodies.flatMap((body) =>
    body['type'] === 'message' ? listOf(body['content']) : listOf([objectOf(body['content_block'])]),
  );
  const deltas = bodies.map((body) => [body['index'], objectOf(body['delta'])] as const);
  const streamed = bodies
    .filter(({ type }) => type === 'content_block_start')
    .map(({ index, content_block }) => {
      const own = deltas.filter(([of]) => of === index).map(([, delta]) => delta);
      return [objectOf(content_block), own.map(({ partial_json }) => stringOf(partial_json)).join('')] as const;
    });
  const isCall = ({ type }: Body): boolean => type === 'tool_use';
  const whole = bodies.some(({ type }) => type === 'message');
  return {
    text:
      blocks.map((block) => (block['type'] === 'text' ? stringOf(block['text']) : '')).join('') +
      deltas.map(([, { text }]) => stringOf(text)).join(''),
    calls: whole
      ? blocks.filter(isCall).map(({ name, input }) => [stringOf(name), input] as const)
      : streamed
          .filter(([block]) => isCall(block))
          .map(([{ name, input }, json]) => [stringOf(name), json === '' ? input : argumentsIn(json)] as const),
  };
}
