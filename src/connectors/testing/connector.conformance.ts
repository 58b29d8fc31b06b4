import type { JsonObject } from '@bellwether/kernel';
import type { ModelChunk, ModelRequest } from '../contract';
import { ConformanceDriver, type ConnectorCase } from './conformance-driver';
import { describeFaults } from './faults.conformance';
import { describeFunctions } from './functions.conformance';
import { describeImages } from './images.conformance';

const TEXTS = [
  'Because.',
  '  Two  spaces,\ta tab,\n\na blank line and an end \n',
  'Càlcul → 𝛑 ≈ 3,14 🙂 "quoted" \\frac{a}{b} {user_input} $& </script>',
] as const;

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

interface WireChoice {
  readonly index: unknown;
  readonly delta: { readonly content?: string | null };
  readonly finish_reason: unknown;
}
type WireChunk = JsonObject & { readonly choices: readonly WireChoice[] };

/** Matchers are typed `any` by Jest. */
const anyNumber = expect.any(Number) as unknown;
const anyText = expect.stringMatching(/./) as unknown;
const anyObject = expect.any(Object) as unknown;

const wire = (chunk: ModelChunk): WireChunk => JSON.parse(chunk.data) as WireChunk;

const withUsage = (ask: ModelRequest): ModelRequest => ({
  ...ask,
  params: { ...ask.params, stream_options: { include_usage: true } },
});

/**
 * The contract of connectors: OpenAI's shapes, our error codes and function calls, for every vendor. Each connector's
 * spec calls this once, with a scripted vendor that speaks the vendor's own wire format.
 */
export function describeConnector(name: string, subject: ConnectorCase): void {
  describe(`the connector ${name}`, () => {
    const driver = new ConformanceDriver(subject);
    afterEach(() => subject.vendor?.reset());

    it('declares itself once, in plain JSON', () => {
      const { definition } = driver.connector;
      expect(definition.name).toBe(name);
      expect(definition.aliases).not.toContain(name);
      expect(definition.description).toMatch(/\.$/);
      expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
    });

    describeAnswers(driver);
    describeStreams(driver);
    describeLeaving(driver);
    if (subject.vendor === null) return;
    describeQuestions(driver);
    describeFaults(driver);
    describeFunctions(driver);
    describeImages(driver);
  });
}

function describeAnswers(driver: ConformanceDriver): void {
  it.each(TEXTS)('answers %j in OpenAI’s shape', async (text) => {
    const answer = await driver.complete(driver.saying(text));
    const said = driver.said(text);
    expect(answer).toMatchObject({ text: said, finishReason: 'stop', calls: [] });
    expect(answer.body).toMatchObject({
      id: anyText,
      object: 'chat.completion',
      created: anyNumber,
      model: anyText,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: said, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    });
    expect(answer.body['usage']).toMatchObject(answer.usage ?? {});
  });
}

function describeStreams(driver: ConformanceDriver): void {
  it.each(TEXTS)('streams %j without losing a character', async (text) => {
    const { chunks, ...streamed } = await driver.stream(driver.saying(text));
    const said = driver.said(text);
    expect(streamed).toMatchObject({ text: said, finishReason: 'stop', calls: [], error: null });
    expect(chunks.map((chunk) => wire(chunk).choices[0]?.delta.content ?? '').join('')).toBe(said);
  });

  it('frames every chunk on one line, with one id and time, and one finish reason at the end', async () => {
    const { chunks } = await driver.stream(driver.saying(TEXTS[1]));
    const bodies = chunks.map(wire);
    for (const { data } of chunks) expect(data).not.toMatch(/[\r\n]/);
    expect(new Set(bodies.map((body) => `${String(body['id'])} ${String(body['created'])}`)).size).toBe(1);
    for (const body of bodies) {
      expect(body).toMatchObject({ object: 'chat.completion.chunk', created: anyNumber, model: anyText });
      expect(body.choices).toHaveLength(1);
      expect(body.choices[0]).toMatchObject({ index: 0, delta: anyObject });
    }
    const ends = [...chunks.slice(1).map(() => null), 'stop'];
    expect(bodies.map(({ choices }) => choices[0]?.finish_reason)).toEqual(ends);
    expect(chunks.map(({ finishReason }) => finishReason)).toEqual(ends);
  });

  it('tells the usage with the finishing chunk, and in a chunk of its own to clients that ask', async () => {
    const unasked = (await driver.stream(driver.saying('Because.'))).chunks;
    expect(unasked.filter(({ usage }) => usage !== null)).toEqual([unasked.at(-1)]);
    const asked = (await driver.stream(withUsage(driver.saying('Because.')))).chunks;
    expect(asked.filter(({ usage }) => usage !== null)).toEqual([asked.at(-1)]);
    const last = asked.at(-1);
    if (last === undefined) throw new Error('nothing was streamed');
    expect(wire(last)).toMatchObject({ choices: [], usage: last.usage });
  });
}

function describeLeaving(driver: ConformanceDriver): void {
  it('refuses to begin for a caller that is gone', async () => {
    await expect(driver.failure(driver.request(), AbortSignal.abort())).resolves.toMatchObject({ code: 'cancelled' });
    const { chunks, error } = await driver.stream(driver.request(), AbortSignal.abort());
    expect([chunks, error?.code]).toEqual([[], 'cancelled']);
  });

  it('stops when the caller leaves between two chunks', async () => {
    const abort = new AbortController();
    const chunks = driver.open(driver.saying(TEXTS[1]), abort.signal);
    await chunks.next();
    await expect(chunks.return?.()).resolves.toMatchObject({ done: true });
    abort.abort();
  });
}

/** The answer and the question as the vendor has them. */
function describeQuestions(driver: ConformanceDriver): void {
  const { vendor } = driver;

  it('sends the model, the instructions, the turns and what every vendor has of the parameters', async () => {
    vendor.answers({ content: 'Because.' }, 2);
    const request = driver.request({
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Why?' },
        { role: 'assistant', content: 'Why not?' },
        { role: 'user', content: [{ type: 'text', text: 'Say.' }] },
      ],
      params: { temperature: 0.25, max_tokens: 50 },
    });
    await driver.complete(request);
    await driver.stream(request);
    const [plain, streamed] = vendor.questions();
    expect(plain).toMatchObject({
      model: request.model,
      stream: false,
      system: 'Be kind.',
      functions: [],
      temperature: 0.25,
      maxTokens: 50,
    });
    expect(plain?.turns.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Why?'],
      ['assistant', 'Why not?'],
      ['user', 'Say.'],
    ]);
    expect({ ...streamed, stream: false }).toEqual(plain);
  });

  it('reports what the vendor counted', async () => {
    vendor.answers({ content: 'Because.', usage: USAGE }, 2);
    expect((await driver.complete()).usage).toMatchObject(USAGE);
    expect((await driver.stream()).usage).toMatchObject(USAGE);
  });

  it('says so when the vendor cut the answer', async () => {
    vendor.answers({ content: 'Half an answ', finishReason: 'length' }, 2);
    const cut = { text: 'Half an answ', finishReason: 'length' };
    expect(await driver.complete()).toMatchObject(cut);
    expect(await driver.stream()).toMatchObject({ ...cut, error: null });
  });
}
