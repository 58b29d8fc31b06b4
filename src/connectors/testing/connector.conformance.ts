import { AppError, uuidv7, type JsonObject } from '../../kernel';
import type { Connector, ModelChunk, ModelRequest, ModelTarget } from '../contract';

export interface ConnectorCase {
  readonly connector: () => Connector;
  readonly target: () => ModelTarget;
  /** Makes the vendor answer the next call, plain or streamed, with this text. */
  readonly answerWith: (text: string) => void;
  /** A request whose answer is that text. */
  readonly request: (text: string) => ModelRequest;
}

const TEXTS = [
  'Because.',
  '  Two  spaces,\ta tab,\n\na blank line and an end \n',
  'Càlcul → 𝛑 ≈ 3,14 🙂 "quoted" \\frac{a}{b} {user_input} $& </script>',
] as const;

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

/** What every connector owes the doors. A connector's spec calls this once. */
export function describeConnector(name: string, { connector, target, answerWith, request }: ConnectorCase): void {
  const context = (signal: AbortSignal = new AbortController().signal) => ({
    signal,
    runId: uuidv7(),
    emit: () => undefined,
  });
  const stream = async (ask: ModelRequest): Promise<ModelChunk[]> => {
    const chunks: ModelChunk[] = [];
    for await (const batch of connector().stream(ask, target(), context())) chunks.push(...batch);
    return chunks;
  };
  const withUsage = (ask: ModelRequest): ModelRequest => ({
    ...ask,
    params: { ...ask.params, stream_options: { include_usage: true } },
  });

  describe(`the connector ${name}`, () => {
    it('declares itself once, in plain JSON', () => {
      const { definition } = connector();
      expect(definition.name).toBe(name);
      expect(definition.aliases).not.toContain(name);
      expect(definition.description).toMatch(/\.$/);
      expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
    });

    it.each(TEXTS)('answers %j in OpenAI’s shape', async (text) => {
      answerWith(text);
      const answer = await connector().complete(request(text), target(), context());
      expect(answer).toMatchObject({ text, finishReason: 'stop' });
      expect(answer.body).toMatchObject({
        id: anyText,
        object: 'chat.completion',
        created: anyNumber,
        model: anyText,
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: text, refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
      });
      expect(answer.body['usage']).toEqual(answer.usage);
    });

    it.each(TEXTS)('streams %j without losing a character', async (text) => {
      answerWith(text);
      const chunks = await stream(request(text));
      expect(chunks.map((chunk) => chunk.text).join('')).toBe(text);
      const contents = chunks.map((chunk) => wire(chunk).choices[0]?.delta.content ?? '');
      expect(contents.join('')).toBe(text);
    });

    it('frames every chunk on one line, with one id and time, and one finish reason at the end', async () => {
      answerWith(TEXTS[1]);
      const chunks = await stream(request(TEXTS[1]));
      const bodies = chunks.map(wire);
      for (const { data } of chunks) expect(data).not.toMatch(/[\r\n]/);
      expect(new Set(bodies.map((body) => `${String(body['id'])} ${String(body['created'])}`)).size).toBe(1);
      for (const body of bodies) {
        expect(body).toMatchObject({
          object: 'chat.completion.chunk',
          created: anyNumber,
          model: anyText,
        });
        expect(body.choices).toHaveLength(1);
        expect(body.choices[0]).toMatchObject({ index: 0, delta: anyObject });
      }
      expect(bodies.map(({ choices }) => choices[0]?.finish_reason)).toEqual([
        ...bodies.slice(1).map(() => null),
        'stop',
      ]);
      expect(chunks.map(({ finishReason }) => finishReason)).toEqual([...chunks.slice(1).map(() => null), 'stop']);
    });

    it('tells the usage with the finishing chunk, and in a chunk of its own to clients that ask', async () => {
      answerWith('Because.');
      const unasked = await stream(request('Because.'));
      expect(unasked.filter(({ usage }) => usage !== null)).toEqual([unasked.at(-1)]);
      answerWith('Because.');
      const asked = await stream(withUsage(request('Because.')));
      expect(asked.filter(({ usage }) => usage !== null)).toEqual([asked.at(-1)]);
      const last = asked.at(-1);
      if (last === undefined) throw new Error('nothing was streamed');
      expect(wire(last)).toMatchObject({ choices: [], usage: last.usage });
    });

    it('refuses to begin for a caller that is gone', async () => {
      const gone = context(AbortSignal.abort());
      const plain = connector().complete(request('x'), target(), gone);
      await expect(plain).rejects.toMatchObject({ code: 'cancelled' });
      const begin = connector().stream(request('x'), target(), gone)[Symbol.asyncIterator]().next();
      await expect(begin).rejects.toBeInstanceOf(AppError);
      await expect(begin).rejects.toMatchObject({ code: 'cancelled' });
    });

    it('stops when the caller leaves between two chunks', async () => {
      answerWith(TEXTS[1]);
      const abort = new AbortController();
      const iterator = connector().stream(request(TEXTS[1]), target(), context(abort.signal))[Symbol.asyncIterator]();
      await iterator.next();
      await expect(iterator.return?.()).resolves.toMatchObject({ done: true });
      abort.abort();
    });
  });
}
