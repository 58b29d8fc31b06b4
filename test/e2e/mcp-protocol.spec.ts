import { startApp, type TestApp } from '../support/app';
import { makeAssistant } from '../support/chat';
import { keyOf } from '../support/people';

const ACCEPT = { accept: 'application/json, text/event-stream' };
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('the MCP door, byte by byte', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
    await makeAssistant(app, { metadata: { connector: 'bypass' } });
  });
  afterAll(() => app.stop());

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    app.api('POST', '/mcp', body, { ...ACCEPT, ...headers });

  it('needs a credential, for every method', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      for (const path of ['/mcp', '/lamb/v1/mcp/']) {
        const body = method === 'POST' ? list : undefined;
        const answer = await app.api(method, path, body, { ...ACCEPT, authorization: 'Bearer bw_wrong' });
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      }
    }
  });

  it('needs the scope chat', async () => {
    const { json } = await app.api('GET', '/api/v1/me');
    const { key } = await keyOf(app, json.email ?? json.user.email, { scopes: ['read'] });
    expect((await post(list, { authorization: `Bearer ${key}` })).status).toBe(403);
  });

  it('keeps no session: the id that it gives is a label, and requests do without it', async () => {
    const answer = await post(initialize);
    expect(answer.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.json.result).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {} },
      serverInfo: { name: 'bellwether' },
    });
    expect(Object.keys(answer.json.result.capabilities).sort()).toEqual(['prompts', 'tools']);
    for (const session of [undefined, { 'mcp-session-id': 'anything' }]) {
      expect((await post(list, session)).json.result.tools).toHaveLength(1);
    }
    expect((await app.api('DELETE', '/mcp', undefined, { 'mcp-session-id': 'anything' })).status).toBe(204);
  });

  it('opens no stream of its own', async () => {
    const answer = await app.api('GET', '/mcp', undefined, ACCEPT);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, DELETE']);
  });

  it('refuses pages of other origins, a rebound name included', async () => {
    const host = new URL(app.url).host;
    expect((await post(list, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(list, { origin: `http://rebound.example:${host.split(':')[1]}` })).status).toBe(403);
    expect((await post(list, { origin: 'null' })).status).toBe(403);
    expect((await app.api('DELETE', '/mcp', undefined, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(list, { origin: `http://${host}` })).status).toBe(200);
  });

  it('takes one message per request', async () => {
    const answer = await post([list, { ...list, id: 2 }]);
    expect([answer.status, answer.json.error.code]).toEqual([400, -32600]);
  });

  it.each([
    ['nothing', {}, 400],
    ['a text', 'hello', 400],
    ['null', null, 400],
    ['no version', { id: 1, method: 'tools/list' }, 400],
    ['an object as id', { ...list, id: {} }, 400],
  ])('answers %s clearly', async (_, body, status) => {
    const answer = await post(body);
    expect([answer.status, typeof answer.json.error]).toEqual([status, 'object']);
  });

  it.each([
    ['a method that is none', { ...list, method: 'resources/list' }, -32601],
    ['a method of another server', { ...list, method: 'sampling/createMessage' }, -32601],
    ['a property for a method', { ...list, method: '__proto__' }, -32601],
  ])('knows no %s', async (_, body, code) => {
    const answer = await post(body);
    expect([answer.status, answer.json.error.code]).toEqual([200, code]);
  });

  it('refuses bodies that are too large, too deep or no JSON', async () => {
    const call = (query: string) => ({
      ...list,
      method: 'tools/call',
      params: { name: 'assistant_1', arguments: { query } },
    });
    expect((await post(call('x'.repeat(1_100_000)))).status).toBe(413);
    let deep: object = {};
    for (let i = 0; i < 60; i += 1) deep = { deep };
    expect((await post({ ...list, params: deep })).status).toBe(400);
    const raw = (body: string, type: string) =>
      fetch(`${app.url}/mcp`, {
        method: 'POST',
        body,
        headers: { ...ACCEPT, authorization: `Bearer ${app.adminKey}`, 'content-type': type },
      });
    expect((await raw('{', 'application/json')).status).toBe(400);
    expect((await raw('a=b', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await app.api('POST', '/mcp', list, { accept: 'application/json' })).status).toBe(406);
  });
});
