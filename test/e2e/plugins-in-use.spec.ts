import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectorEntry, definePlugin } from '@bellwether/plugin';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, makeMember, multiTool, streamed, user } from '../support/chat';
import { person } from '../support/people';
import { readEvents } from '../support/run-events';

/** The examples, copied to where nothing of this repository is found by accident. */
const folder = mkdtempSync(join(tmpdir(), 'bellwether-plugins-'));
cpSync(join(__dirname, '../../examples'), folder, { recursive: true });
const KINDS = [
  'word-count-tool',
  'last-first-strategy',
  'parrot-connector',
  'opening-hours-processor',
  'dice-function',
];
afterAll(() => rmSync(folder, { recursive: true }));

/** A wire format whose decoder has a defect: it trips over the word `trip`. */
const CLUMSY: ConnectorEntry = {
  definition: {
    name: 'clumsy',
    aliases: [],
    display_name: 'Clumsy',
    description: 'Trips.',
    texts: { es: { description: 'Tropieza.' }, ca: { description: 'Ensopega.' }, eu: { description: 'Estropezu.' } },
    icon: 'bird',
    capabilities: { streaming: true, vision: false, functions: false, image_generation: false },
    vendor: { name: 'clumsy', needsKey: false, baseUrl: null, environment: { baseUrl: 'CLUMSY_BASE_URL' } },
    models: [],
    defaultModel: 'one',
  },
  codec: {
    framing: 'lines',
    encode: ({ request: { model, messages }, stream }) => {
      if (JSON.stringify(messages).includes('mute')) throw new TypeError('encode has a defect');
      return { path: '/say', body: { model, hear: messages.at(-1)?.content, stream } };
    },
    decoder: () => {
      let ended = false;
      return {
        get finished() {
          return ended;
        },
        get done() {
          return ended;
        },
        finishReason: 'stop',
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        kept: new Map(),
        add({ said = '', over }) {
          if (String(said).includes('trip')) throw new TypeError('the decoder has a defect');
          ended = over === true;
          return { text: String(said), calls: [], images: [] };
        },
      };
    },
  },
};

const TOOL = { plugin: 'word_count', placeholder: '1_count', enabled: true, config: {} };
const WHOLE = multiTool([TOOL], { connector: 'parrot', llm: '', orchestrator: 'last_first' });

describe('plugins in use', () => {
  /** Statuses of the vendor's next answers; then 200. */
  const statuses: number[] = [];
  const vendor = createServer((request, response) => void speak(request, response));
  const asked: string[] = [];
  let env: Record<string, string>;
  let app: TestApp;
  const ids: Record<'parrot' | 'clumsy' | 'whole' | 'tools' | 'classic', number> = {
    parrot: 0,
    clumsy: 0,
    whole: 0,
    tools: 0,
    classic: 0,
  };
  let student: Awaited<ReturnType<typeof makeMember>>;

  async function speak(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { hear, stream } = JSON.parse(Buffer.concat(parts).toString()) as { hear: string; stream: boolean };
    asked.push(hear);
    response.statusCode = statuses.shift() ?? 200;
    if (response.statusCode !== 200) response.end('{}');
    else if (!stream) response.end(JSON.stringify({ said: hear, over: true, tokens: 3 }));
    else {
      for (const word of hear.split(' ')) response.write(`${JSON.stringify({ said: `${word} ` })}\n`);
      response.end('{"over":true,"tokens":3}\n');
    }
  }

  beforeAll(async () => {
    await once(vendor.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    env = {
      SECRETS_KEY: `test:${'0123456789abcdef'.repeat(4)}`,
      PARROT_BASE_URL: url,
      PARROT_API_KEY: 'seed',
      CLUMSY_BASE_URL: url,
      BELLWETHER_PLUGINS: KINDS.map((name) => join(folder, name)).join(','),
    };
    app = await startApp({ env, plugins: [definePlugin({ connectors: [CLUMSY] })] });
    const make = (metadata: object, prompt_template = '{user_input}') =>
      makeAssistant(app, { prompt_template, metadata });
    const hours = { rag_processor: 'opening_hours', prompt_processor: 'question_first' };
    Object.assign(ids, {
      parrot: await make({ connector: 'parrot', llm: '' }),
      clumsy: await make({ connector: 'clumsy', llm: '' }),
      whole: await make(WHOLE, '{1_count} {user_input}'),
      tools: await make({ ...WHOLE, connector: 'bypass', llm: 'simple-bypass' }, '{1_count} {user_input}'),
      classic: await make({ ...hours, connector: 'bypass', llm: 'simple-bypass' }, '{user_input} {context}'),
    });
    for (const id of Object.values(ids)) await app.api('PUT', `/api/v1/assistants/${id}/publication`, {});
    student = await makeMember(app, 'member');
  });
  afterAll(async () => {
    await app.stop();
    vendor.close();
  });
  beforeEach(() => void [statuses, asked].map((list) => list.splice(0)));

  const question = (id: number, text: string) => ({ model: `lamb_assistant.${id}`, messages: [user(text)] });
  const ask = (id: number, text = 'Why is it blue?', at = app) =>
    at.api('POST', '/v1/chat/completions', question(id, text), student.headers);
  const logged = (at: TestApp, message: string) =>
    at
      .log()
      .split('\n')
      .filter((line) => line.includes(message))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('a connector whose decoder throws gives an unusable answer, and the log has the run and the reason', async () => {
    const whole = await ask(ids.clumsy, 'Do trip');
    expect([whole.status, whole.json.error.code]).toEqual([502, 'upstream_bad_response']);
    expect(whole.json.error.message).not.toContain('defect');
    const stream = await streamed(app, '/v1/chat/completions', question(ids.clumsy, 'Well then trip'), student.headers);
    expect(stream.text.trim()).toBe('Well then');
    expect(stream.chunks.at(-1).error).toMatchObject({ code: 'upstream_bad_response' });
    const mute = await ask(ids.clumsy, 'mute');
    expect([mute.status, mute.json.error.code]).toEqual([502, 'upstream_error']);

    const runs = (await app.api('GET', `/api/v1/runs?assistant_id=${ids.clumsy}`)).json.items as { id: string }[];
    const faults = logged(app, 'a connector failed');
    expect(faults.map(({ run_id }) => run_id).sort()).toEqual(runs.map(({ id }) => id).sort());
    expect(faults[0]).toMatchObject({
      connector: 'clumsy',
      step: 'read',
      err: { message: 'the decoder has a defect', stack: expect.stringContaining('add') },
    });
  });

  it('a connector is tried again as ours are, and its tokens count under the limits', async () => {
    statuses.push(503, 503);
    expect((await ask(ids.parrot)).status).toBe(200);
    expect(asked).toHaveLength(3);
    statuses.push(429, 429, 429);
    expect((await ask(ids.parrot)).json.error.code).toBe('upstream_rate_limited');

    const limits = (...rules: object[]) => app.api('PATCH', '/api/v1/organizations/default', { limits: { rules } });
    const rule = { id: 'day', for: { kind: 'person' }, limit: 'requests', amount: 1, per: 'day' };
    expect((await limits(rule)).status).toBe(200);
    expect([(await ask(ids.whole)).status, (await ask(ids.whole)).json.error.code]).toEqual([200, 'quota_exceeded']);
    await limits();
    const { total_tokens } = (await ask(ids.whole)).json.usage;
    expect(total_tokens).toBe(6);
  });

  it('a definition that is not saved runs with every kind of plugin', async () => {
    const teacher = await person(app);
    const definition = { name: 'Draft', system_prompt: '', prompt_template: '{1_count} {user_input}', metadata: WHOLE };
    const started = await teacher.api('POST', '/api/v1/runs', { definition, messages: [user('one two three')] });
    const { run_id } = started.json;
    const { answer } = await readEvents(app, `${run_id}/events`, { authorization: `Bearer ${teacher.key}` });
    expect(answer).toContain('Words: 3');
    expect((await teacher.api('GET', `/api/v1/runs/${run_id}`)).json).toMatchObject({
      status: 'completed',
      draft: true,
      strategy: 'last_first',
      connector: 'parrot',
    });
  });

  it('a replica without them answers with what is left, and tells the owner what is missing', async () => {
    const exported = (await app.api('GET', `/api/v1/assistants/${ids.whole}/export`)).json;
    const plain = await startApp({ reset: false, env: { ...env, BELLWETHER_PLUGINS: '' } });
    expect((await ask(ids.whole, 'Why?', plain)).json.error.code).toBe('connector_not_configured');
    const tools = await ask(ids.tools, 'Why?', plain);
    expect(tools.json.choices[0].message.content).toContain('Why?');
    expect((await plain.api('GET', `/api/v1/runs/${tools.json.run_id}/report`)).json).toMatchObject({
      orchestrator: 'parallel',
      results: [{ plugin: 'word_count', status: 'failed', code: 'tool.unknown' }],
    });
    const classic = await ask(ids.classic, 'Why?', plain);
    expect((await plain.api('GET', `/api/v1/runs/${classic.json.run_id}/report`)).json.warnings).toEqual([
      expect.stringContaining('opening_hours'),
      expect.stringContaining('question_first'),
    ]);
    const missing = ['orchestrator.unknown', 'tool.unknown', 'connector.unknown'];
    const { diagnostics } = (await plain.api('GET', `/api/v1/assistants/${ids.whole}`)).json;
    expect(diagnostics.map(({ code }: { code: string }) => code)).toEqual(missing);

    const imported = await plain.api('POST', '/api/v1/assistants/import', exported);
    expect([imported.status, imported.json.errors.map(({ code }: { code: string }) => code)]).toEqual([
      400,
      ['orchestrator.unknown', 'tool.unknown'],
    ]);
    await plain.stop();
    expect((await ask(ids.whole)).json.choices[0].message.content).toContain('Words: 4');
  });

  it('need no extension', async () => {
    const bare = await startApp({ reset: false, env: { ...env, BELLWETHER_EXTENSIONS: 'none' } });
    expect((await ask(ids.whole, 'Why is it blue?', bare)).json.choices[0].message.content).toContain('Words: 4');
    expect((await bare.api('GET', '/api/openapi.json')).text).toContain('last_first');
    await bare.stop();
  });
});
