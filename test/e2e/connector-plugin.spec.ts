import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type * as Fs from 'node:fs';
import type { AddressInfo } from 'node:net';
import type * as Os from 'node:os';
import type * as Path from 'node:path';
import openApi from '../../docs/reference/openapi.json';
import { VENDORS } from '../../src/connectors';
import type * as Catalog from '../../src/connectors/catalog';
import { environmentVariables, loadConfig } from '../../src/infrastructure/config';
import type * as Plugin from '../fixtures/connector-plugin';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, streamed, user } from '../support/chat';
import { foreignOrganization, person } from '../support/people';

/** The folder of a connector, somewhere else on the disk, and its line in the catalogue. Nothing else is told of it. */
jest.mock('../../src/connectors/catalog', () => {
  const { mkdtempSync, readFileSync, rmSync, writeFileSync } = jest.requireActual<typeof Fs>('node:fs');
  const { join, resolve } = jest.requireActual<typeof Path>('node:path');
  const { tmpdir } = jest.requireActual<typeof Os>('node:os');
  const actual = jest.requireActual<typeof Catalog>('../../src/connectors/catalog');
  const folder = mkdtempSync(join(tmpdir(), 'bw-connector-'));
  const source = readFileSync(join(__dirname, '../fixtures/connector-plugin/index.ts'), 'utf8');
  writeFileSync(join(folder, 'index.ts'), source.replaceAll('../../../src', resolve(__dirname, '../../src')));
  const { PARROT } = jest.requireActual<typeof Plugin>(join(folder, 'index.ts'));
  rmSync(folder, { recursive: true });
  return { ...actual, CONNECTOR_PLUGINS: [...actual.CONNECTOR_PLUGINS, PARROT] };
});

interface Heard {
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly bird: string; readonly hear: string; readonly wordByWord: boolean };
}

describe('a connector that is one folder and one line', () => {
  const heard: Heard[] = [];
  let vendor: Server;
  let url: string;
  let app: TestApp;

  beforeAll(async () => {
    vendor = createServer((request, response) => void speak(request, response));
    await once(vendor.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    app = await startApp({ env: { PARROT_BASE_URL: url, PARROT_API_KEY: 'seed-of-the-operator' } });
  }, 120_000);
  beforeEach(() => void heard.splice(0));
  afterAll(async () => {
    await app.stop();
    vendor.close();
  });

  async function speak(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString()) as Heard['body'] & { readonly texts?: readonly string[] };
    heard.push({ headers: request.headers, body });
    if (body.texts !== undefined)
      return void response.end(JSON.stringify({ vectors: body.texts.map(() => [1, 0, 0]) }));
    if (!body.wordByWord) return void response.end(JSON.stringify({ said: body.hear, over: true }));
    for (const word of body.hear.split(' ')) response.write(`${JSON.stringify({ said: `${word} ` })}\n`);
    response.end('{"over":true}\n');
  }

  const assistant = (metadata: object = {}) =>
    makeAssistant(app, {
      name: 'Echo',
      prompt_template: '{user_input}',
      metadata: { connector: 'parrot', llm: '', ...metadata },
    });

  it('is in the catalogue with all that a form shows', async () => {
    const { connectors } = (await app.api('GET', '/api/v1/connectors')).json;
    expect(connectors.find(({ name }: { name: string }) => name === 'parrot')).toEqual({
      name: 'parrot',
      display_name: 'Parrot',
      description: 'Repeats the last question.',
      texts: expect.objectContaining({ eu: { description: 'Azken galdera errepikatzen du.' } }),
      icon: 'bird',
      capabilities: { streaming: true, vision: false, functions: false, image_generation: false },
      provider: 'parrot',
      base_url: 'https://parrot.example',
      needs_key: true,
      configured: true,
      models: [],
      default_model: 'grey',
      embeddings: { default_model: 'feather', needs_key: true },
    });
    expect((await app.api('GET', '/lamb/v1/completions/list')).json.connectors).toHaveProperty('parrot');
  });

  it('answers as the description of the API says', async () => {
    const { required } = openApi.components.schemas.ConnectorDto;
    const [connector] = (await app.api('GET', '/api/v1/connectors')).json.connectors;
    expect(Object.keys(connector).sort()).toEqual([...required].sort());
  });

  it('is configured by the variables that it declares, and checked at the start', () => {
    expect(environmentVariables(VENDORS).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['PARROT_API_KEY', 'PARROT_BASE_URL']),
    );
    expect(() => loadConfig({ PARROT_BASE_URL: 'nowhere' }, VENDORS)).toThrow(
      'PARROT_BASE_URL must be a URL starting with http:// or https://',
    );
    expect(loadConfig({ TOOL_PLANNER_LLM: 'parrot' }, VENDORS).planner.vendor).toBe('parrot');
  });

  it('answers a run with its default model and the key of the operator, and is in the record', async () => {
    const id = await assistant({ connector: 'polly' });
    const body = { model: `lamb_assistant.${id}`, messages: [user('Who is a good bird?')] };
    const answer = await app.api('POST', '/v1/chat/completions', body);
    expect(answer.json.choices[0].message.content.trim()).toBe('Who is a good bird?');
    expect(heard).toMatchObject([{ headers: { 'x-seed': 'seed-of-the-operator' }, body: { bird: 'grey' } }]);
    const run = (await app.api('GET', `/api/v1/runs/${answer.json.run_id}`)).json;
    expect(run).toMatchObject({ status: 'completed', connector: 'parrot', model: 'grey' });
    expect((await app.api('GET', `/api/v1/runs/${answer.json.run_id}/report`)).status).toBe(200);
  });

  it('streams', async () => {
    const id = await assistant({ llm: 'macaw' });
    const question = { model: `lamb_assistant.${id}`, messages: [user('Say it again')] };
    expect((await streamed(app, '/v1/chat/completions', question)).text.trim()).toBe('Say it again');
    expect(heard[0]?.body).toMatchObject({ bird: 'macaw', wordByWord: true });
  });

  it('is checked in definitions like any other', async () => {
    const codes = async (metadata: object) => {
      const answer = await app.api('POST', '/api/v1/assistants/validate', { template: '{user_input}', metadata });
      return answer.json.diagnostics.map(({ code }: { code: string }) => code);
    };
    expect(await codes({ connector: 'parrot' })).not.toContain('connector.unknown');
    expect(await codes({ connector: 'parakeet' })).toContain('connector.unknown');
  });

  it('embeds knowledge bases', async () => {
    const base = { name: 'Birds', embedding: { provider: 'parrot', model: 'feather' } };
    const { status, json } = await app.api('POST', '/api/v1/knowledge-bases', base);
    expect([status, json.embedding]).toEqual([201, expect.objectContaining({ provider: 'parrot', model: 'feather' })]);
    expect(heard[0]).toMatchObject({ headers: { authorization: 'Bearer seed-of-the-operator' } });
  });

  it('is configured by an organization, whose key goes to its own address', async () => {
    const other = await person(app, { organization: await foreignOrganization(app) });
    const settings = { providers: { parrot: { base_url: url, api_key: 'seed-of-our-own', models: ['cockatoo'] } } };
    const listing = async () => {
      const { connectors } = (await other.api('GET', '/api/v1/connectors')).json;
      return connectors.find(({ name }: { name: string }) => name === 'parrot');
    };
    expect(await listing()).toMatchObject({ configured: false });
    const patched = await app.api('PATCH', '/api/v1/organizations/default', settings);
    expect(patched.json.providers.parrot).toMatchObject({ api_key_configured: true, models: ['cockatoo'] });
    const id = await assistant();
    await app.api('POST', '/v1/chat/completions', { model: `lamb_assistant.${id}`, messages: [user('Hello')] });
    expect(heard).toMatchObject([{ headers: { 'x-seed': 'seed-of-our-own' }, body: { bird: 'cockatoo' } }]);
  });
});
