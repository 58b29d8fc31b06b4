import { uuidv7 } from '@bellwether/kernel';
import type { ModelRequest } from '../../contract';
import { describeConnector } from '../../testing/connector.conformance';
import { BYPASS } from './bypass.connector';

const NOWHERE = { baseUrl: '', apiKey: null, trusted: false };
const context = { signal: new AbortController().signal, runId: uuidv7(), emit: () => undefined };

describeConnector('bypass', {
  connector: () => BYPASS.connect({} as never),
  target: () => NOWHERE,
  vendor: null,
  model: 'simple-bypass',
});

describe('what bypass answers', () => {
  const request: ModelRequest = {
    model: 'debug-bypass',
    messages: [
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Why?' },
          { type: 'image_url', image_url: { url: 'data:,x' } },
        ],
      },
    ],
    params: { temperature: 0.2 },
  };
  const answerOf = async (model: string) =>
    (await BYPASS.connect({} as never).complete({ ...request, model }, NOWHERE, context)).text;

  it('debug-bypass: the exact messages and the whole request, as JSON', async () => {
    const [, messages, body] = /^Messages:\n([^]*)\n\nBody:\n([^]*)$/.exec(await answerOf('debug-bypass')) ?? [];
    expect(JSON.parse(messages ?? '')).toEqual(request.messages);
    expect(JSON.parse(body ?? '')).toEqual({ model: 'debug-bypass', messages: request.messages, temperature: 0.2 });
    expect(messages).toBe(JSON.stringify(request.messages, null, 2));
  });

  it('simple-bypass: the last content', async () => expect(await answerOf('simple-bypass')).toBe('Why?'));

  it('full-conversation-bypass: role and content, a line each', async () =>
    expect(await answerOf('full-conversation-bypass')).toBe('system: Be kind.\nuser: Why?'));

  it('streams a long answer in a bounded number of pieces', async () => {
    const long = { ...request, messages: [{ role: 'user' as const, content: 'word '.repeat(200_000) }] };
    let batches = 0;
    await BYPASS.connect({} as never).stream(long, NOWHERE, context, () => void (batches += 1));
    expect(batches).toBeLessThan(500);
  });

  it('stops in the middle of an answer when the caller leaves', async () => {
    const abort = new AbortController();
    const leaving = { ...context, signal: abort.signal };
    const streamed = BYPASS.connect({} as never).stream(request, NOWHERE, leaving, () => abort.abort() as undefined);
    await expect(streamed).rejects.toMatchObject({ code: 'cancelled' });
  });
});
