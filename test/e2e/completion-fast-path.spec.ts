import { IdempotencyInterceptor } from '../../src/infrastructure/idempotency/idempotency.interceptor';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, makeMember, multiTool, user } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';

/** A cookie that is no session sends a request through Express' router and Nest. */
const LONG_WAY = { cookie: 'theme=dark' };
/** Headers that differ from answer to answer. */
const OWN = new Set(['date', 'x-request-id', 'x-run-id', 'keep-alive', 'connection', 'transfer-encoding']);

interface Asked {
  readonly body: object | string;
  readonly headers?: Record<string, string>;
  /** How often the vendor is asked. */
  readonly vendor?: number;
}

describe('a plain completion', () => {
  let app: TestApp;
  let upstream: Upstream;
  let model: string;
  let tools: string;
  let off: string;
  let member: Record<string, string>;
  let reader: string;
  let gateway: string;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-fast-1' } });
    model = `lamb_assistant.${await makeAssistant(app)}`;
    tools = `lamb_assistant.${await makeAssistant(app, { metadata: multiTool([{ plugin: 'no_rag', enabled: true, config: {} }]) })}`;
    const paused = await makeAssistant(app);
    await app.api('PUT', `/api/v1/assistants/${paused}/suspension`);
    off = `lamb_assistant.${paused}`;
    member = (await makeMember(app, 'member')).headers;
    const key = async (scopes: string[]): Promise<string> =>
      (await app.api('POST', '/api/v1/api-keys', { name: scopes.join(), scopes })).json.key as string;
    reader = await key(['read']);
    gateway = await key(['chat', 'act_as']);
  });
  beforeEach(() => upstream.reset());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const hi = (more: object = {}) => ({ model, messages: [user('Hi')], ...more });

  const requests = (): Record<string, Asked> => ({
    'a question': { body: hi(), vendor: 1 },
    'a question to a multi-tool assistant': { body: { ...hi(), model: tools }, vendor: 1 },
    'a stream': { body: hi({ stream: true }), vendor: 1 },
    'a stream with usage and without progress': {
      body: hi({ stream: true, stream_options: { include_usage: true, progress: 'off' } }),
      vendor: 1,
    },
    'a report': { body: hi({ verbose: true }) },
    'parameters and metadata': { body: hi({ temperature: 0.3, metadata: { a: 'b' }, user: 'u' }), vendor: 1 },
    'a prompt of LAMB in place of messages': { body: { model, prompt: 'Hi' }, vendor: 1 },
    'an end user of a gateway': {
      body: hi({ metadata: { user_id: 'ada' } }),
      headers: bearer(gateway),
      vendor: 1,
    },
    'a key that is unknown': { body: hi(), headers: bearer(`bw_${'0'.repeat(48)}`) },
    'a credential that is none': { body: hi(), headers: { authorization: 'Basic YTpi' } },
    'a key without the scope chat': { body: hi(), headers: bearer(reader) },
    'an assistant that the caller may not use': { body: hi(), headers: member },
    'an assistant that is switched off': { body: { ...hi(), model: off } },
    'a model that does not exist': { body: { ...hi(), model: 'lamb_assistant.999999' } },
    'a model that is no assistant': { body: { ...hi(), model: 'gpt-4o' } },
    'no model': { body: { messages: [user('Hi')] } },
    'no messages': { body: { model } },
    'a message without a role': { body: { model, messages: [{ content: 'Hi' }] } },
    'pictures for an assistant that reads text': {
      body: { model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }] },
    },
    'text that is no JSON': { body: '{"model":' },
    'a list in place of an object': { body: '[]' },
    'a NUL character': { body: JSON.stringify(hi({ user: 'a\u0000b' })) },
    'half of a surrogate pair': { body: '{"model":"\\ud800"}' },
    'a forbidden name': { body: '{"__proto__":{"a":1}}' },
    'a body that is nested too deeply': { body: '['.repeat(5_000) + ']'.repeat(5_000) },
    'an end user that cannot be read': {
      body: hi(),
      headers: { ...bearer(gateway), 'x-openwebui-user-email': 'no address' },
    },
    'a request id of the client': { body: hi(), headers: { 'x-request-id': 'from-the-client-1' }, vendor: 1 },
  });

  async function ask({ body, headers = {}, vendor = 0 }: Asked, way: Record<string, string>) {
    upstream.reset();
    for (let call = 0; call < vendor; call += 1) upstream.expect({ content: 'Hello.', model: 'gpt-4o-mini-2024' });
    const given = { ...bearer(app.adminKey), 'content-type': 'application/json', ...headers, ...way };
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${app.url}/v1/chat/completions`, { method: 'POST', headers: given, body: sent });
    const runId = response.headers.get('x-run-id');
    const text = (await response.text())
      .replaceAll(runId ?? '\u0000', '<run>')
      .replaceAll(response.headers.get('x-request-id') ?? '\u0000', '<request>')
      .replaceAll(/("created":)\d+/g, '$1<now>')
      .replaceAll(/\d+(\.\d+)? ?ms/g, '<ms>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<at>');
    const told = [...response.headers].filter(([name]) => !OWN.has(name));
    return { status: response.status, headers: Object.fromEntries(told), text, runId };
  }

  /** The record of a run without what differs between two runs. */
  async function recordOf(runId: string | null): Promise<unknown> {
    if (runId === null) return null;
    const { json } = await app.api('GET', `/api/v1/runs/${runId}`);
    const { id: _id, request_id: _request, ...record } = json as Record<string, unknown>;
    return JSON.parse(
      JSON.stringify(record, (name, value: unknown) =>
        /(_ms|_at|^at|^created)$/.test(name) || typeof value === 'number' ? typeof value : value,
      ).replaceAll(runId, '<run>'),
    );
  }

  it('is answered without Nest, and with it when the request has a cookie', async () => {
    const interceptor = jest.spyOn(IdempotencyInterceptor.prototype, 'intercept');
    await ask({ body: hi(), vendor: 1 }, {});
    expect(interceptor).not.toHaveBeenCalled();
    await ask({ body: hi(), vendor: 1 }, LONG_WAY);
    expect(interceptor).toHaveBeenCalledTimes(1);
    interceptor.mockRestore();
  });

  it('gets the same status, headers, body and record on both ways', async () => {
    for (const [what, asked] of Object.entries(requests())) {
      const short = await ask(asked, {});
      const long = await ask(asked, LONG_WAY);
      expect({ what, ...short, runId: await recordOf(short.runId) }).toEqual({
        what,
        ...long,
        runId: await recordOf(long.runId),
      });
      expect(short.status).toBe(long.status);
    }
  });
});
