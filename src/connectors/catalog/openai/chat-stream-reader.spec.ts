import type { JsonObject } from '@bellwether/kernel';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionCallDelta, ModelChunk } from '../../contract';
import { ThoughtSplitter } from '../../vendor';
import { ChatStreamReader } from './chat-stream-reader';

const FOLDER = join(__dirname, '../../../../test/fixtures/streams');

interface VendorMessage {
  readonly content?: unknown;
}
interface VendorChunk {
  readonly choices: readonly { readonly delta?: VendorMessage; readonly message?: VendorMessage }[];
}
interface Fixture {
  readonly chunks: readonly VendorChunk[];
  readonly expected: {
    readonly text: string;
    readonly finish_reason: string;
    readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  };
}

const FIXTURES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => [file, JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Fixture] as const);

const WEATHER = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } };

const OFFERING: JsonObject = { tools: [WEATHER] };

function read(
  chunks: readonly unknown[],
  { maxAnswerChars = 1_000_000, params = OFFERING, thoughts = new ThoughtSplitter() } = {},
): ModelChunk[] {
  const reader = new ChatStreamReader({
    request: { model: 'm', messages: [], params },
    thoughts: () => thoughts,
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

const callsOf = (chunks: readonly ModelChunk[]): FunctionCallDelta[] => chunks.flatMap(({ calls }) => calls ?? []);

const calling = (...toolCalls: unknown[]) => ({ choices: [{ index: 0, delta: { tool_calls: toolCalls } }] });
const FINISH = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };

/** The calls in the data that clients get, read as OpenAI's client does: by index, the id and name from the first piece. */
function clientCalls(chunks: readonly ModelChunk[]) {
  const calls: { id: unknown; name: unknown; arguments: string }[] = [];
  for (const { data } of chunks) {
    for (const entry of JSON.parse(data).choices[0]?.delta.tool_calls ?? []) {
      if (entry.index === calls.length) {
        expect(entry.type).toBe('function');
        calls.push({ id: entry.id, name: entry.function.name, arguments: '' });
      }
      expect(typeof (entry.function.arguments ?? '')).toBe('string');
      (calls[entry.index] as { arguments: string }).arguments += entry.function.arguments ?? '';
    }
  }
  return calls;
}

describe('a stream with function calls', () => {
  it.each(FIXTURES)('%s: calls reach the loop and the client in strict pieces', (_, { chunks, expected }) => {
    const answer = read(chunks);
    expect(answer.map(({ text }) => text).join('')).toBe(expected.text);
    expect(answer.filter(({ finishReason }) => finishReason !== null)).toHaveLength(1);
    expect(answer.find(({ finishReason }) => finishReason !== null)?.finishReason).toBe(expected.finish_reason);
    const ids = (calls: readonly { id: unknown }[]) => calls.map(({ id }) => id);
    expect(clientCalls(answer)).toEqual(expected.calls);
    expect(ids(callsOf(answer).filter(({ id }) => id !== null))).toEqual(ids(expected.calls));
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
    expect(callsOf(answer)).toEqual([
      { index: 0, id: 'a', name: 'f', arguments: '', extraContent: extra },
      { index: 0, id: null, name: null, arguments: '{}' },
    ]);
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
    const first = calling({ index: 0, id: 'a', function: { name: 'f', arguments: 'abcd' } });
    const answer = read([first, ...Array.from({ length: 20_000 }, () => piece), FINISH], { maxAnswerChars: 200_000 });
    expect(callsOf(answer)).toHaveLength(20_001);
  });

  it.each([
    ['arguments without end', calling({ index: 0, function: { name: 'f', arguments: 'x'.repeat(600_000) } })],
    ['calls without anything in them', calling(...Array.from({ length: 100 }, () => ({})))],
  ])('cuts %s', (_, chunk) =>
    expect(() => read([...Array.from({ length: 10 }, () => chunk), FINISH], { maxAnswerChars: 1_000 })).toThrow(
      /longer than/,
    ),
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

  it.each([
    [
      'two calls under one index',
      [
        { index: 0, id: 'a', path: '1' },
        { index: 0, id: 'b', path: '2' },
      ],
      ['a', 'b'],
    ],
    ['an index that begins at 1', [{ index: 1, id: 'a', path: '1' }], ['a']],
  ])('gives the client one call each for %s', (_, sent, ids) => {
    const chunks = sent.map(({ index, id, path }) =>
      calling({ index, id, type: 'function', function: { name: 'get_weather', arguments: `{"path":"${path}"}` } }),
    );
    expect(clientCalls(read([...chunks, FINISH]))).toEqual(
      ids.map((id, at) => ({ id, name: 'get_weather', arguments: `{"path":"${at + 1}"}` })),
    );
  });

  it('gives the client arguments as text that came as an object', () => {
    const chunk = calling({ index: 0, id: 'a', function: { name: 'get_weather', arguments: { path: '1' } } });
    expect(clientCalls(read([chunk, FINISH]))).toMatchObject([{ arguments: '{"path":"1"}' }]);
  });

  const OLD_CALL = [
    { choices: [{ index: 0, delta: { role: 'assistant', function_call: { name: 'get_weather', arguments: '' } } }] },
    { choices: [{ index: 0, delta: { function_call: { arguments: '{"a":1}' } } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'function_call' }] },
  ];

  it('turns a call of the old kind into one of tools, which the client offered', () => {
    const answer = read(OLD_CALL);
    expect(clientCalls(answer)).toMatchObject([{ name: 'get_weather', arguments: '{"a":1}' }]);
    expect(answer.at(-1)?.finishReason).toBe('tool_calls');
  });

  it('leaves a call of the old kind to a client that offers functions of the old kind', () => {
    const answer = read(OLD_CALL, { params: { functions: [{ name: 'get_weather' }] } });
    expect(callsOf(answer)).toEqual([]);
    expect(answer.map(({ data }) => JSON.parse(data).choices[0].delta.function_call?.arguments)).toContain('{"a":1}');
    expect(answer.at(-1)?.finishReason).toBe('function_call');
  });

  it('passes what is strict already byte for byte', () => {
    const chunk = (delta: object, finish: string | null = null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const sent = [
      chunk({ role: 'assistant', content: null }),
      chunk({
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'get_weather', arguments: '' } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Elx"}' } }] }),
      chunk({}, 'tool_calls'),
    ];
    expect(read(sent).map(({ data }) => data)).toEqual(sent.map((each) => JSON.stringify(each)));
  });

  it('reads no content that is not text', () => {
    const chunk = (content: unknown) => ({ choices: [{ index: 0, delta: { content } }] });
    const answer = read([chunk({ a: 1 }), chunk(7), chunk(['x', null, { type: 'text' }]), FINISH]);
    expect(answer.map(({ text }) => text)).toEqual(['', '', '', '']);
  });
});

const text = (content: string | null, finish: string | null = null) => ({
  choices: [{ index: 0, delta: content === null ? {} : { content }, finish_reason: finish }],
});
const texts = (chunks: readonly ModelChunk[]) => chunks.map((chunk) => chunk.text).join('');
const firstDeltas = (chunks: readonly ModelChunk[]) => chunks.map(({ data }) => JSON.parse(data).choices[0]?.delta);

describe('a stream of a careless vendor', () => {
  it.each([
    { usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } },
    { type: 'ping' },
    { choices: null },
    { choices: 'none' },
    { choices: [null, 'text'] },
    { prompt_filter_results: [] },
  ])('skips %j, which holds no choices', (odd) => {
    const answer = read([odd, text('Hola'), text(null, 'stop'), odd]);
    expect(texts(answer)).toBe('Hola');
    expect(answer.at(-1)).toMatchObject({ finishReason: 'stop', usage: 'usage' in odd ? odd.usage : null });
  });

  it('refuses an answer of nothing else', () => expect(() => read([{ type: 'ping' }])).toThrow('holds no choices'));

  it('tells the role once, with the first delta', () => {
    expect(firstDeltas(read([text('a'), text('b'), text(null, 'stop')]))).toEqual([
      { content: 'a', role: 'assistant' },
      { content: 'b' },
      {},
    ]);
  });

  it.each([
    ['eos', 'stop'],
    ['STOP', 'stop'],
    ['eos_token', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['SAFETY', 'content_filter'],
  ])('says %s as OpenAI does', (given, said) => {
    const answer = read([text('a'), text(null, given)]);
    expect(answer.at(-1)?.finishReason).toBe(said);
    expect(JSON.parse(answer.at(-1)?.data ?? '').choices[0].finish_reason).toBe(said);
  });

  it('sets thoughts in the text apart, however they are cut', () => {
    const whole = '<think>First I look.</think>\n\nIt is 42.';
    for (const size of [1, 3, 8, 100]) {
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const answer = read([...pieces.map((piece) => text(piece)), text(null, 'stop')]);
      expect(texts(answer)).toBe('It is 42.');
      expect(answer.map(({ echoed }) => echoed?.reasoning_content ?? '').join('')).toBe('First I look.');
      expect(
        firstDeltas(answer)
          .map((delta) => delta.content ?? '')
          .join(''),
      ).toBe('It is 42.');
    }
  });

  const ended = (pieces: readonly string[], startsInThoughts = false) => {
    const isUnopened: boolean[] = [];
    const thoughts = new ThoughtSplitter(startsInThoughts, (each) => isUnopened.push(each));
    const said = texts(read([...pieces.map((piece) => text(piece)), text(null, 'stop')], { thoughts }));
    return { said, isUnopened };
  };

  it.each([
    ['on a line of its own', ['Hm, ', '42?', '\n', '</think>', '\n\n', 'It is 42.'], true],
    ['cut in pieces', ['Hm\n', 'well', '\n</', 'think', '>', '\n', 'It is 42.'], true],
    ['in one piece', ['Hm.\n</think>\nIt is 42.'], true],
    ['within a line', ['Models ', 'end with ', '`', '</think>', '`', '\n', 'then.'], false],
    ['after the tag that opens', ['Write:\n', '<think>', 'Hm\n', '</think>', '\n', 'It is 42.'], false],
    ['after thoughts', ['<think>Hm', '</think>', '\n', '</think>', '\n', 'It is 42.'], false],
    ['nowhere', ['It ', 'is ', '42.'], false],
  ])('tells once that nothing opened the thoughts, whose closing tag stands %s', (_, pieces, isUnopened) => {
    expect(ended(pieces).isUnopened).toEqual([isUnopened]);
  });

  it('waits for the end of the thoughts of a model that opens none, and tells of an answer without it', () => {
    const waiting = ended(['Hm, ', '42?\n', '</th', 'ink>', '\nIt is 42.'], true);
    expect(waiting).toEqual({ said: 'It is 42.', isUnopened: [true] });
    expect(ended(['No ', 'thoughts.'], true)).toEqual({ said: 'No thoughts.', isUnopened: [false] });
    expect(ended(['<think>', 'Hm', '</think>', 'It is 42.'], true)).toEqual({ said: 'It is 42.', isUnopened: [false] });
  });

  /** Characters of the texts that are searched or cut while `work` runs. */
  const charactersRead = (work: () => void): number => {
    const methods = ['indexOf', 'includes', 'slice', 'trimStart'] as const;
    let read = 0;
    const spies = methods.map((name) => {
      const original = String.prototype[name] as (...given: any[]) => any;
      return jest.spyOn(String.prototype, name).mockImplementation(function (this: string, ...given: any[]) {
        read += this.length;
        return original.apply(this, given);
      });
    });
    try {
      work();
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    return read;
  };

  it.each([
    ['thoughts that nothing opens', 'a', true],
    ['text', 'a', false],
    ['white space', ' ', false],
  ])(
    'reads a character of %s a fixed number of times, however long the answer is',
    (_, character, startsInThoughts) => {
      const pieces = 5_000;
      const splitter = new ThoughtSplitter(startsInThoughts);
      const read = charactersRead(() => {
        for (let count = 0; count < pieces; count += 1) splitter.add(character);
      });
      expect(read).toBeLessThan(pieces * 100);
    },
  );

  it('leaves an answer that speaks of the tag alone', () => {
    const said = 'Models write <think> before they answer.';
    expect(texts(read([text(said), text(null, 'stop')]))).toBe(said);
  });
});
