import { Ollama, type ChatResponse } from 'ollama';
import OpenAI from 'openai';
import { startUpstream, type Upstream } from '../support/upstream';

const ELX = { name: 'get_weather', arguments: '{"city":"Elx"}' };
const ALCOI = { name: 'get_weather', arguments: '{"city":"Alcoi"}' };
const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const ANSWER = { content: 'One moment. ', toolCalls: [ELX, ALCOI], usage: USAGE };

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [
  { type: 'function' as const, function: { name: 'get_weather', description: 'Tells the weather.', parameters } },
];
const messages = [{ role: 'user' as const, content: 'And in Elx?' }];

/** What the vendors' own clients make of the scripted upstream: whether it speaks as their servers do. */
describe('the scripted upstream, as the vendor’s client sees it', () => {
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream();
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(() => upstream.stop());

  describe('ollama', () => {
    const client = () => new Ollama({ host: upstream.origin });
    const meant = (answer: ChatResponse) =>
      (answer.message.tool_calls ?? []).map((call) => [call.function.name, call.function.arguments]);

    it('answers whole', async () => {
      upstream.expect(ANSWER);
      const answer = await client().chat({ model: 'llama3.2', messages, tools, stream: false });
      expect(answer).toMatchObject({ model: 'llama3.2', done: true, done_reason: 'stop' });
      expect([answer.message.content, answer.prompt_eval_count, answer.eval_count]).toEqual(['One moment. ', 11, 7]);
      expect(meant(answer)).toEqual([
        ['get_weather', { city: 'Elx' }],
        ['get_weather', { city: 'Alcoi' }],
      ]);
    });

    it('streams', async () => {
      upstream.expect(ANSWER);
      const parts: ChatResponse[] = [];
      for await (const part of await client().chat({ model: 'llama3.2', messages, tools, stream: true }))
        parts.push(part);
      expect(parts.map(({ message }) => message.content).join('')).toBe('One moment. ');
      expect(parts.flatMap(meant)).toEqual([
        ['get_weather', { city: 'Elx' }],
        ['get_weather', { city: 'Alcoi' }],
      ]);
      expect(parts.at(-1)).toMatchObject({ done: true, prompt_eval_count: 11, eval_count: 7 });
    });

    it('is understood: functions, calls, their results and images', async () => {
      upstream.expect({ content: 'Warm.' });
      const call = { function: { name: 'get_weather', arguments: { city: 'Elx' } } };
      await client().chat({
        model: 'llama3.2',
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'And here?', images: ['AAAA'] },
          { role: 'assistant', content: '', tool_calls: [call] },
          { role: 'tool', content: '31 °C', tool_name: 'get_weather' },
        ],
        tools,
        options: { temperature: 0.5, num_predict: 20 },
      });
      expect(upstream.questions()).toEqual([
        {
          model: 'llama3.2',
          stream: false,
          system: 'Be kind.',
          turns: [
            { role: 'user', text: 'And here?', images: [{ mediaType: null, base64: 'AAAA' }], calls: [], results: [] },
            {
              role: 'assistant',
              text: '',
              images: [],
              calls: [{ id: null, name: 'get_weather', arguments: { city: 'Elx' } }],
              results: [],
            },
            {
              role: 'tool',
              text: '',
              images: [],
              calls: [],
              results: [{ id: null, name: 'get_weather', content: '31 °C' }],
            },
          ],
          functions: [tools[0]?.function],
          choice: 'auto',
          temperature: 0.5,
          maxTokens: 20,
        },
      ]);
    });

    it('fails as its server fails', async () => {
      upstream.expect({ fault: 'not-found', message: 'model "x" not found' });
      const missing = client().chat({ model: 'x', messages });
      await expect(missing).rejects.toMatchObject({ status_code: 404, error: 'model "x" not found' });
      upstream.expect({ fault: 'error-object-mid-stream' });
      const read = async () => {
        for await (const _ of await client().chat({ model: 'x', messages, stream: true }));
      };
      await expect(read()).rejects.toThrow('upstream-internal-detail');
    });
  });

  describe('openai', () => {
    const client = () => new OpenAI({ baseURL: upstream.url, apiKey: 'sk-x', maxRetries: 0 });
    const calls = [
      { function: { name: 'get_weather', arguments: '{"city":"Elx"}' } },
      { function: { name: 'get_weather', arguments: '{"city":"Alcoi"}' } },
    ];

    it('answers whole', async () => {
      upstream.expect(ANSWER);
      const answer = await client().chat.completions.create({ model: 'gpt-x', messages, tools });
      expect(answer).toMatchObject({
        usage: USAGE,
        choices: [{ finish_reason: 'tool_calls', message: { content: 'One moment. ', tool_calls: calls } }],
      });
    });

    it.each([undefined, 4])('streams, arguments in pieces of %s', async (argumentPieces) => {
      upstream.expect({ ...ANSWER, ...(argumentPieces === undefined ? {} : { argumentPieces }) });
      const stream = client().chat.completions.stream({
        model: 'gpt-x',
        messages,
        tools,
        stream_options: { include_usage: true },
      });
      await expect(stream.finalChatCompletion()).resolves.toMatchObject({
        usage: USAGE,
        choices: [{ finish_reason: 'tool_calls', message: { content: 'One moment. ', tool_calls: calls } }],
      });
    });

    it('fails as its server fails', async () => {
      upstream.expect({ fault: 'rate-limited' });
      await expect(client().chat.completions.create({ model: 'gpt-x', messages })).rejects.toBeInstanceOf(
        OpenAI.RateLimitError,
      );
      upstream.expect({ fault: 'error-object-mid-stream' });
      const stream = client().chat.completions.stream({ model: 'gpt-x', messages });
      await expect(stream.finalMessage()).rejects.toBeInstanceOf(OpenAI.APIError);
    });
  });
});
