import Anthropic from '@anthropic-ai/sdk';
import { startUpstream, type Upstream } from '../support/upstream';

/** What our scripted vendor sends is what the vendor's own client understands. */
describe('Anthropic’s own client against the scripted upstream', () => {
  let upstream: Upstream;
  let client: Anthropic;

  beforeAll(async () => {
    upstream = await startUpstream();
    client = new Anthropic({ apiKey: 'a-test', baseURL: upstream.origin, maxRetries: 0 });
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(() => upstream.stop());

  const asked = {
    model: 'claude-haiku-4-5',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Why?' }],
  };
  const toolCalls = [
    { id: 'toolu_a', name: 'look_up', arguments: '{"q":"tides"}' },
    { id: 'toolu_b', name: 'now', arguments: '{}' },
  ];

  it('reads text, calls and usage of a whole answer', async () => {
    upstream.expect({ content: 'Wait.', toolCalls });
    const message = await client.messages.create(asked);
    expect(message).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Wait.' },
        { type: 'tool_use', id: 'toolu_a', name: 'look_up', input: { q: 'tides' } },
        { type: 'tool_use', id: 'toolu_b', name: 'now', input: {} },
      ],
      usage: { input_tokens: 5, output_tokens: 4 },
    });
  });

  it('puts the same together from a stream', async () => {
    upstream.expect({ content: 'One moment, please.', toolCalls, argumentPieces: 3 });
    const stream = client.messages.stream(asked);
    let text = '';
    stream.on('text', (piece) => (text += piece));
    const message = await stream.finalMessage();
    expect(text).toBe('One moment, please.');
    expect(message.content).toMatchObject([
      { type: 'text', text },
      { type: 'tool_use', id: 'toolu_a', input: { q: 'tides' } },
      { type: 'tool_use', id: 'toolu_b', input: {} },
    ]);
    expect(message.usage.output_tokens).toBe(4);
  });

  it('knows its errors by their class', async () => {
    upstream.expect({ fault: 'rate-limited' });
    await expect(client.messages.create(asked)).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    upstream.expect({ fault: 'unauthorized' });
    await expect(client.messages.create(asked)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    upstream.expect({ fault: 'error-object-mid-stream' });
    await expect(client.messages.stream(asked).finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
  });
});
