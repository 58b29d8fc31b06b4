import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { startEmbeddingUpstream } from '../support/embedding-upstream';
import { makeAssistant, user } from '../support/chat';
import { TestMcpServer } from '../support/mcp-server';
import { moodleException, startMoodle } from '../support/moodle';
import { person } from '../support/people';

const ORGANIZATION = '/api/v1/organizations/default';
const KEY = 'canary-of-a-provider-key';

/** A vendor that answers every request by script. */
class ScriptedVendor {
  readonly seen: { readonly path: string; readonly authorization: string | undefined }[] = [];
  answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  private readonly server: Server = createServer((request, response) => {
    this.seen.push({ path: request.url ?? '', authorization: request.headers.authorization });
    this.answer(request, response);
  });

  static async start(): Promise<ScriptedVendor> {
    const vendor = new ScriptedVendor();
    await new Promise<void>((done) => vendor.server.listen(0, '127.0.0.1', done));
    return vendor;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  says(status: number, body: string, headers: Record<string, string> = { 'content-type': 'application/json' }): void {
    this.answer = (_, response) => response.writeHead(status, headers).end(body);
  }

  stop(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }
}

let app: TestApp;
let vendor: ScriptedVendor;
beforeAll(async () => {
  [app, vendor] = await Promise.all([startApp(), ScriptedVendor.start()]);
});
afterAll(() => Promise.all([app.stop(), vendor.stop()]));
beforeEach(async () => {
  vendor.seen.length = 0;
  await app.api('PATCH', ORGANIZATION, { providers: null });
});

const test = (body: object, name = 'openai') => app.api('POST', `${ORGANIZATION}/providers/${name}/test`, body);
const onScreen = (more: object = {}) => test({ api_key: KEY, base_url: vendor.url, ...more });
const list = (...ids: string[]) => JSON.stringify({ data: ids.map((id) => ({ id })) });
const states = async () => (await app.api('GET', `${ORGANIZATION}/connections`)).json.items;

describe('a test of a provider', () => {
  it('lists the models of the vendor with the key on the screen, and stores neither', async () => {
    vendor.says(200, list('gpt-b', 'gpt-a', 'gpt-a'));
    const { status, json } = await onScreen();
    expect([status, json]).toMatchObject([200, { ok: true, code: null, status: null, vendor_message: null }]);
    expect(json.models).toEqual([
      { id: 'gpt-a', name: null },
      { id: 'gpt-b', name: null },
    ]);
    expect(vendor.seen).toEqual([{ path: '/v1/models', authorization: `Bearer ${KEY}` }]);
    expect((await app.api('GET', ORGANIZATION)).json.providers).toEqual({});
    expect(await states()).toEqual([]);
  });

  it('takes a list of 300 models', async () => {
    vendor.says(200, list(...Array.from({ length: 300 }, (_, at) => `model-${at}`)));
    expect((await onScreen()).json.models).toHaveLength(300);
  });

  it('tells a wrong key in the words of the vendor, without the key', async () => {
    vendor.says(401, JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}.` } }));
    const { json, text } = await onScreen();
    expect(json).toMatchObject({ ok: false, code: 'upstream_auth', status: 401, models: null });
    expect(json.vendor_message).toBe('Incorrect API key provided: [redacted].');
    expect(text).not.toContain(KEY);
  });

  it('tells a web page from an API', async () => {
    vendor.says(200, '<html><head><title>Campus portal</title></head></html>', { 'content-type': 'text/html' });
    expect((await onScreen()).json).toMatchObject({
      ok: false,
      code: 'upstream_bad_response',
      status: 200,
      vendor_message: 'Campus portal',
    });
  });

  it('does not follow a redirect to a private address', async () => {
    vendor.says(302, '', { location: 'http://169.254.169.254/latest/meta-data' });
    expect((await onScreen()).json).toMatchObject({ ok: false, code: 'upstream_error', status: 302 });
    expect(vendor.seen).toHaveLength(1);
  });

  it('does not dial an address that is not allowed', async () => {
    const { status, json } = await test({ api_key: KEY, base_url: 'http://169.254.169.254/v1' });
    expect([status, json.ok, json.code]).toEqual([200, false, 'outbound_refused']);
  });

  it('ends when the vendor does not answer', async () => {
    vendor.answer = () => undefined;
    expect((await onScreen()).json).toMatchObject({ ok: false, code: 'upstream_timeout', status: null });
  }, 20_000);

  it('never sends the stored key to another address', async () => {
    await app.api('PATCH', ORGANIZATION, { providers: { openai: { api_key: KEY, base_url: 'https://api.example' } } });
    vendor.says(200, list('gpt-a'));
    const { json } = await test({ base_url: vendor.url });
    expect(json).toMatchObject({ ok: false, code: 'connector_not_configured' });
    expect(vendor.seen).toEqual([]);
  });

  it('asks an embedding model for one vector', async () => {
    const upstream = await startEmbeddingUpstream();
    const { json } = await test({ api_key: KEY, base_url: upstream.url, embedding_model: 'embed' });
    await upstream.stop();
    expect(json).toMatchObject({ ok: true, models: null });
    expect(json.dimensions).toBeGreaterThan(0);
  });

  it('is for administrators, and for providers that there are', async () => {
    const teacher = await person(app, { role: 'teacher' });
    expect((await teacher.api('POST', `${ORGANIZATION}/providers/openai/test`, {})).status).toBe(403);
    expect((await teacher.api('GET', `${ORGANIZATION}/connections`)).status).toBe(403);
    const unknown = await test({}, 'sdfkjh');
    expect([unknown.status, unknown.json.errors[0].code]).toEqual([400, 'provider.unknown']);
    expect((await test({ api_key: 'with space' })).json.code).toBe('validation_failed');
  });
});

describe('the health of a provider', () => {
  const save = () => app.api('PATCH', ORGANIZATION, { providers: { openai: { api_key: KEY, base_url: vendor.url } } });

  it('is the last test of what is stored, until address or key change', async () => {
    await save();
    vendor.says(200, list('gpt-a'));
    expect((await test({})).json.ok).toBe(true);
    expect(await states()).toEqual([
      { connection: 'providers.openai', tested: expect.objectContaining({ ok: true }), used: null },
    ]);
    await app.api('PATCH', ORGANIZATION, { providers: { openai: { api_key: 'another-key' } } });
    expect(await states()).toEqual([]);
  });

  it('shows how the last call for an assistant failed', async () => {
    await save();
    const id = await makeAssistant(app, { metadata: { connector: 'openai', llm: 'gpt-a' } });
    vendor.says(401, JSON.stringify({ error: { message: 'Key revoked' } }));
    await app.api('POST', `/api/v1/assistants/${id}/completions`, { messages: [user('Why?')] });
    const used = { ok: false, code: 'upstream_auth', status: 401, vendor_message: 'Key revoked' };
    let found: unknown[] = [];
    while (found.length === 0) found = await states();
    expect(found).toMatchObject([{ connection: 'providers.openai', tested: null, used }]);
    const rows = await app.get(DataSource).query<object[]>('SELECT * FROM connection_health');
    expect(JSON.stringify(rows)).not.toContain(KEY);
  });
});

describe('a test of a server', () => {
  it('lists the tools of an MCP server', async () => {
    const server = await TestMcpServer.start();
    const path = `${ORGANIZATION}/mcp/servers/library/test`;
    const { json } = await app.api('POST', path, { url: server.url, token: 'secret' });
    expect(json).toMatchObject({ ok: true, code: null });
    expect(json.tools.length).toBeGreaterThan(0);
    expect(server.authorizations).toContain('Bearer secret');
    server.plays({ instead: (_, response) => Boolean(response.writeHead(401).end()) });
    expect((await app.api('POST', path, { url: server.url })).json).toMatchObject({ ok: false, status: 401 });
    await server.stop();
  });

  it('names the site of a Moodle, and the functions that its token may not call', async () => {
    const moodle = await startMoodle();
    moodle.answers.set('core_webservice_get_site_info', {
      sitename: 'Campus &amp; more',
      functions: [{ name: 'core_enrol_get_users_courses' }, { name: 'mod_assign_get_assignments' }],
    });
    const body = { api_url: moodle.url, token: 'secret' };
    expect((await app.api('POST', `${ORGANIZATION}/moodle/test`, body)).json).toMatchObject({
      ok: true,
      site: 'Campus & more',
      missing: ['core_user_get_users_by_field', 'mod_assign_get_submission_status'],
    });
    moodle.answers.set('core_webservice_get_site_info', moodleException('invalidtoken'));
    expect((await app.api('POST', `${ORGANIZATION}/moodle/test`, body)).json).toMatchObject({
      ok: false,
      code: 'upstream_auth',
      vendor_message: 'invalidtoken',
    });
    await moodle.stop();
  });

  it('counts the collections of a knowledge-base server', async () => {
    vendor.says(200, JSON.stringify({ collections: [{ id: 1 }, { id: 2 }] }));
    const body = { server_url: vendor.url, api_token: 'secret' };
    const path = `${ORGANIZATION}/knowledge_base/test`;
    expect((await app.api('POST', path, body)).json).toMatchObject({ ok: true, collections: 2 });
    vendor.says(200, '<html></html>');
    expect((await app.api('POST', path, body)).json).toMatchObject({ ok: false, code: 'upstream_bad_response' });
    const { json } = await app.api('POST', path, {});
    expect(json).toMatchObject({ ok: false, code: 'connector_not_configured' });
  });
});

it('tests are limited', async () => {
  await app.api('POST', '/api/v1/organizations', { slug: 'tried', name: 'Tried' });
  const tries = Array.from({ length: 31 }, () => app.api('POST', '/api/v1/organizations/tried/moodle/test', {}));
  const answers = await Promise.all(tries);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
});
