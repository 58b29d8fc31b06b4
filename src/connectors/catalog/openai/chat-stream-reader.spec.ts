import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionCallDelta, ModelChunk } from '../../contract';
import { ChatStreamReader } from './chat-stream-reader';

const FOLDER = join(__dirname, '../../../../test/fixtures/streams');

interface VendorCall {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: unknown };
}
interface VendorMessage {
  readonly content?: unknown;
  readonly tool_calls?: readonly VendorCall[];
}
interface VendorChunk {
  readonly choices: readonly { readonly delta?: VendorMessage; readonly message?: VendorMessage }[];
}
interface Fixture {
  readonly chunks: readonly VendorChunk[];
  readonly expected: { readonly text: string; readonly finish_reason: string };
}

const FIXTURES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => [file, JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Fixture] as const);

function read(chunks: readonly unknown[], maxAnswerChars = 1_000_000): ModelChunk[] {
  const reader = new ChatStreamReader({
    head: { id: 'chatcmpl-1', created: 1, model: 'm' },
    includeUsage: false,
    maxAnswerChars,
    secrets: [],
  });
  const read: ModelChunk[] = [];
  for (const chunk of [...chunks.map((each) => JSON.stringify(each)), '[DONE]'])
    reader.read(Buffer.from(`data: ${chunk}\n\n`), read);
  read.push(...reader.end());
  return read;
}

const argumentsIn = (given: unknown): string =>
  typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given);

/** The calls of a fixture's chunk, read the obvious way. */
const callsIn = ({ choices }: VendorChunk): FunctionCallDelta[] =>
  choices.flatMap(({ delta, message }) =>
    [...(delta?.tool_calls ?? []), ...(message?.tool_calls ?? [])].map((call) => ({
      index: call.index ?? null,
      id: call.id ?? null,
      name: call.function?.name === '' ? null : (call.function?.name ?? null),
      arguments: argumentsIn(call.function?.arguments),
    })),
  );

const callsOf = (chunks: readonly ModelChunk[]): FunctionCallDelta[] => chunks.flatMap(({ calls }) => calls ?? []);

const calling = (...toolCalls: unknown[]) => ({ choices: [{ index: 0, delta: { tool_calls: toolCalls } }] });
const FINISH = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };

describe('a stream with function calls', () => {
  it.each(FIXTURES)('%s: every piece of a call reaches the loop as it came', (_, { chunks, expected }) => {
    const answer = read(chunks);
    expect(answer.map(({ text }) => text).join('')).toBe(expected.text);
    expect(answer.filter(({ finishReason }) => finishReason !== null)).toHaveLength(1);
    expect(answer.find(({ finishReason }) => finishReason !== null)?.finishReason).toBe(expected.finish_reason);
    expect(callsOf(answer)).toEqual(chunks.flatMap(callsIn));
  });

  it.each(FIXTURES)('%s: the client gets deltas with text for content', (_, { chunks }) => {
    for (const { data } of read(chunks)) {
      const { choices } = JSON.parse(data) as VendorChunk;
      for (const { delta } of choices) {
        expect(delta).toBeDefined();
        expect(['string', 'undefined', 'object']).toContain(typeof delta?.content);
        expect(Array.isArray(delta?.content)).toBe(false);
      }
    }
  });

  it('tells what the vendor demands back, of the answer and of each call', () => {
    const delta = (members: object) => ({ choices: [{ index: 0, delta: members }] });
    const extra = { google: { thought_signature: 'c2ln' } };
    const answer = read([
      delta({ role: 'assistant', content: null, reasoning_content: '' }),
      delta({ content: null, reasoning_content: 'I need' }),
      delta({ content: 'So', reasoning_content: null }),
      calling({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' }, extra_content: extra }),
      delta({ extra_content: extra, reasoning_content: 7 }),
      FINISH,
    ]);
    expect(answer.flatMap(({ echoed }) => echoed ?? [])).toEqual([
      { reasoning_content: '' },
      { reasoning_content: 'I need' },
      { extra_content: extra },
    ]);
    expect(callsOf(answer)).toEqual([{ index: 0, id: 'a', name: 'f', arguments: '{}', extraContent: extra }]);
  });

  it('has no calls on chunks of text', () => {
    const text = (content: string) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    });
    for (const chunk of read([text('a'), text('b'), text('c'), FINISH])) expect(chunk).not.toHaveProperty('calls');
  });

  it('takes a long text of arguments in small pieces for what it is', () => {
    const piece = calling({ index: 0, function: { arguments: 'abcd' } });
    const answer = read([...Array.from({ length: 20_000 }, () => piece), FINISH], 200_000);
    expect(callsOf(answer)).toHaveLength(20_000);
  });

  it.each([
    ['arguments without end', calling({ index: 0, function: { name: 'f', arguments: 'x'.repeat(600_000) } })],
    ['calls without anything in them', calling(...Array.from({ length: 100 }, () => ({})))],
  ])('cuts %s', (_, chunk) =>
    expect(() => read([...Array.from({ length: 10 }, () => chunk), FINISH], 1_000)).toThrow(/longer than/),
  );

  it('refuses more calls than any model makes', () =>
    expect(() => read([calling(...Array.from({ length: 200 }, (_, index) => ({ index })))])).toThrow(/too many/));

  it('cuts names and ids that no vendor has', () => {
    const chunk = calling({ index: 0, id: 'x'.repeat(9_000), function: { name: 'y'.repeat(9_000), arguments: '' } });
    const [call] = callsOf(read([chunk, FINISH]));
    expect([call?.id?.length, call?.name?.length]).toEqual([256, 256]);
  });

  it.each([
    'text',
    42,
    { '0': { id: 'a' } },
    [null, 'a', 3, []],
    [{ index: -1, id: 7, function: 'f' }],
    [{ index: 1.5, function: { name: ['f'], arguments: undefined } }],
  ])('makes nothing dangerous of %j', (toolCalls) => {
    const chunk = { choices: [{ index: 0, delta: { tool_calls: toolCalls } }] };
    for (const call of callsOf(read([chunk, FINISH])))
      expect(call).toEqual({ index: null, id: null, name: null, arguments: '' });
  });

  it('reads no content that is not text', () => {
    const chunk = (content: unknown) => ({ choices: [{ index: 0, delta: { content } }] });
    const answer = read([chunk({ a: 1 }), chunk(7), chunk(['x', null, { type: 'text' }]), FINISH]);
    expect(answer.map(({ text }) => text)).toEqual(['', '', '', '']);
  });
});
