import type { ChatMessage, FunctionCall, JsonObject } from '@bellwether/kernel';
import type { ModelRequest } from '../contract';
import type { ConformanceDriver } from './conformance-driver';

const WEATHER = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Its name.' } },
    required: ['city'],
  },
};
const NOW = { name: 'now', description: 'Tells the time.', parameters: { type: 'object', properties: {} } };
const TOOLS = [WEATHER, NOW].map((declared) => ({ type: 'function', function: declared }));

const ELX = { name: 'get_weather', arguments: '{"city":"Elx, \\"la ciutat\\" → 🌴"}' };
const ALCOI = { name: 'get_weather', arguments: '{"city":"Alcoi"}' };
const AT = { name: 'now', arguments: '{}' };

/** Characters of an answer that the connector under test is to be given as its limit. */
export const MOST_CHARS = 1_000_000;
const TOO_LONG = MOST_CHARS + 100_000;
const TOO_MANY = 300;

const called = (id: string, { name, arguments: given }: typeof ELX): FunctionCall => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});

/** Name and arguments of calls, the arguments as what they mean: white space and escapes are the vendor's. */
const meant = (calls: readonly FunctionCall[]) =>
  calls.map(({ function: { name, arguments: given } }) => [name, JSON.parse(given) as unknown]);
const scripted = (calls: readonly (typeof ELX)[]) =>
  calls.map(({ name, arguments: given }) => [name, JSON.parse(given) as unknown]);

/** Function calls: OpenAI's format for callers, the vendor's format on the wire. */
export function describeFunctions(driver: ConformanceDriver): void {
  if (!driver.connector.definition.capabilities.functions) return;
  const { vendor } = driver;
  const offering = (overrides: Partial<ModelRequest> = {}, params: JsonObject = {}): ModelRequest =>
    driver.request({ ...overrides, params: { tools: TOOLS, ...params } });

  describe.each([
    ['one call', [ELX]],
    ['a call without arguments', [AT]],
    ['two calls of one function', [ELX, ALCOI]],
    ['calls of several functions', [ALCOI, AT, ELX]],
  ])('that wants %s', (_, toolCalls) => {
    it('says so in a whole answer', async () => {
      vendor.answers({ toolCalls });
      const { calls, finishReason, body } = await driver.complete(offering());
      expect(finishReason).toBe('tool_calls');
      expect(meant(calls)).toEqual(scripted(toolCalls));
      const ids = calls.map(({ id }) => id);
      expect(new Set(ids).size).toBe(toolCalls.length);
      for (const id of ids) expect(id).toMatch(/^.{1,64}$/);
      expect(body).toMatchObject({ choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }] });
    });

    it.each([undefined, 3])('says so in a stream, arguments in pieces of %s', async (argumentPieces) => {
      vendor.answers({
        content: 'One moment. ',
        toolCalls,
        ...(argumentPieces === undefined ? {} : { argumentPieces }),
      });
      const { text, calls, finishReason, error, usage } = await driver.stream(offering());
      expect({ text, finishReason, error }).toEqual({ text: 'One moment. ', finishReason: 'tool_calls', error: null });
      expect(meant(calls)).toEqual(scripted(toolCalls));
      expect(new Set(calls.map(({ id }) => id)).size).toBe(toolCalls.length);
      expect(usage).not.toBeNull();
    });

    it('says so in a whole answer to a request for a stream', async () => {
      vendor.answers({ toolCalls, otherFraming: true }, 2);
      const streamed = await driver.stream(offering());
      expect([meant(streamed.calls), streamed.finishReason]).toEqual([scripted(toolCalls), 'tool_calls']);
      const whole = await driver.complete(offering());
      expect([meant(whole.calls), whole.finishReason]).toEqual([scripted(toolCalls), 'tool_calls']);
    });

    it('streams them to the client in OpenAI’s shape', async () => {
      vendor.answers({ toolCalls });
      const { chunks } = await driver.stream(offering());
      const pieces = chunks.flatMap(({ data }) => wirePieces(data));
      toolCalls.forEach(({ name }, position) => {
        const own = pieces.filter(({ index }) => index === position);
        expect(own[0]).toMatchObject({
          id: expect.stringMatching(/./) as unknown,
          type: 'function',
          function: { name },
        });
        expect(() => JSON.parse(own.map((piece) => piece.function?.arguments ?? '').join('')) as unknown).not.toThrow();
      });
    });
  });

  it('tells the vendor what there is to call', async () => {
    vendor.answers({ content: 'No need.' });
    await driver.complete(offering());
    expect(vendor.questions()[0]).toMatchObject({ functions: [WEATHER, NOW], choice: 'auto' });
  });

  it('holds the vendor to the caller’s choice where its format can say it', async () => {
    vendor.answers({ content: 'Yes.' }, 3);
    await driver.complete(offering({}, { tool_choice: 'none' }));
    await driver.complete(offering({}, { tool_choice: { type: 'function', function: { name: 'now' } } }));
    await driver.complete(offering({}, { tool_choice: 'required' }));
    const [none, one, some] = vendor.questions();
    expect(none?.functions.length === 0 || none?.choice === 'none').toBe(true);
    const onlyNow = one?.functions.length === 1 && one.functions[0]?.name === 'now';
    expect(onlyNow || (typeof one?.choice === 'object' && one.choice.name === 'now')).toBe(true);
    expect(['required', 'auto']).toContain(some?.choice);
    expect(some?.functions).toHaveLength(2);
  });

  it('hands calls and their results back, each result with its call', async () => {
    vendor.answers({ content: 'It is warm in Elx at noon.' });
    const messages: ChatMessage[] = [
      { role: 'user', content: 'And now?' },
      { role: 'assistant', content: null, tool_calls: [called('call_a', ELX), called('call_b', AT)] },
      { role: 'tool', tool_call_id: 'call_a', content: '31 °C' },
      { role: 'tool', tool_call_id: 'call_b', content: '12:00' },
    ];
    const answer = await driver.complete(offering({ messages }));
    expect(answer.text).toBe('It is warm in Elx at noon.');
    const turns = vendor.questions()[0]?.turns ?? [];
    const calls = turns.flatMap((turn) => turn.calls);
    expect(calls.map(({ name, arguments: given }) => [name, given])).toEqual(scripted([ELX, AT]));
    const results = turns.flatMap((turn) => turn.results);
    expect(results.map(({ content }) => content)).toEqual(['31 °C', '12:00']);
    results.forEach(({ id, name }, position) => {
      const call = calls[position];
      if (id !== null) expect(id).toBe(call?.id);
      else expect(name).toBe(call?.name);
    });
  });

  it('hands back a call whose arguments were no JSON, and a result of nothing', async () => {
    vendor.answers({ content: 'Sorry.' }, 2);
    for (const given of ['{"city": ', '']) {
      const messages: ChatMessage[] = [
        { role: 'user', content: 'And now?' },
        { role: 'assistant', content: '', tool_calls: [called('call_a', { ...ELX, arguments: given })] },
        { role: 'tool', tool_call_id: 'call_a', content: '' },
      ];
      await expect(driver.complete(offering({ messages }))).resolves.toMatchObject({ text: 'Sorry.' });
    }
  });

  it.each(['__proto__', 'constructor', 'toString'])('lets a call of %j through as the name it is', async (name) => {
    vendor.answers({ toolCalls: [{ name, arguments: '{}' }] }, 2);
    expect((await driver.complete(offering())).calls.map((call) => call.function.name)).toEqual([name]);
    expect((await driver.stream(offering())).calls.map((call) => call.function.name)).toEqual([name]);
  });

  it('cuts arguments that are longer than an answer may be', async () => {
    const toolCalls = [{ name: 'now', arguments: JSON.stringify({ a: 'x'.repeat(TOO_LONG) }) }];
    vendor.answers({ toolCalls, argumentPieces: 100_000 }, 2);
    await expect(driver.failure(offering())).resolves.toMatchObject({ code: 'upstream_truncated' });
    expect((await driver.stream(offering())).error).toMatchObject({ code: 'upstream_truncated' });
  });

  it('refuses more calls at once than any model wants', async () => {
    vendor.answers({ toolCalls: Array.from({ length: TOO_MANY }, () => AT) });
    await expect(driver.failure(offering())).resolves.toMatchObject({ code: 'upstream_bad_response' });
  });
}

interface WirePiece {
  readonly index?: number;
  readonly function?: { readonly arguments?: string };
}

const wirePieces = (data: string): readonly WirePiece[] => {
  const { choices } = JSON.parse(data) as { choices: { delta: { tool_calls?: WirePiece[] } }[] };
  return choices[0]?.delta.tool_calls ?? [];
};
