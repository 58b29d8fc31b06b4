import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin, type OrchestratorStrategy, type ToolTexts } from '@bellwether/plugin';
import { orchestratorToken } from '../../src';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';

/** The examples, copied to where nothing of this repository is found by accident. */
const folder = mkdtempSync(join(tmpdir(), 'bellwether-plugins-'));
cpSync(join(__dirname, '../../examples'), folder, { recursive: true });
const isPlugin = (example: string): boolean =>
  readFileSync(join(example, 'package.json'), 'utf8').includes('"@bellwether/plugin"');
const plugins = readdirSync(folder)
  .map((name) => join(folder, name))
  .filter(isPlugin);
afterAll(() => rmSync(folder, { recursive: true }));

/** Answers each question with itself, as the example's vendor does. */
async function parrot(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { hear, stream } = JSON.parse(Buffer.concat(parts).toString()) as { hear: string; stream: boolean };
  if (hear.includes('crash')) response.end(JSON.stringify({ error: 'the parrot sleeps' }));
  else if (!stream) response.end(JSON.stringify({ said: hear, over: true, tokens: 3 }));
  else {
    for (const word of hear.split(' ')) response.write(`${JSON.stringify({ said: `${word} ` })}\n`);
    response.end('{"over":true,"tokens":3}\n');
  }
}

const BYPASS = { connector: 'bypass', llm: 'simple-bypass' };
const counting = (config: object = {}, placeholder = '1_count') => ({
  plugin: 'word_count',
  placeholder,
  enabled: true,
  config,
});

describe('the examples, installed outside of the repository', () => {
  const vendor = createServer((request, response) => void parrot(request, response));
  let app: TestApp;
  let upstream: Upstream;

  beforeAll(async () => {
    await once(vendor.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    upstream = await startUpstream();
    const env = { BELLWETHER_PLUGINS: plugins.join(','), PARROT_BASE_URL: url, PARROT_API_KEY: 'seed' };
    app = await startApp({ env: { ...env, OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-plugins-3' } });
  });
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
    vendor.close();
  });

  const question = (id: number, text: string) => ({ model: `lamb_assistant.${id}`, messages: [user(text)] });
  const ask = (id: number, text = 'Why is it blue?') => app.api('POST', '/v1/chat/completions', question(id, text));
  const answerOf = async (id: number, text?: string): Promise<string> =>
    (await ask(id, text)).json.choices[0].message.content;
  const reportOf = async (id: number) =>
    (await app.api('GET', `/api/v1/runs/${(await ask(id)).json.run_id}/report`)).json;
  const entry = async (path: string, list: string, name: string) =>
    (await app.api('GET', `/api/v1/${path}`)).json[list].find((each: { name: string }) => each.name === name);
  const codes = async (metadata: object, template = '{user_input}') => {
    const { json } = await app.api('POST', '/api/v1/assistants/validate', { template, metadata });
    return json.diagnostics.map(({ code }: { code: string }) => code);
  };

  describe('a tool', () => {
    it('stands in the catalogue with all that form and planner read', async () => {
      expect(await entry('tools', 'tools', 'word_count')).toMatchObject({
        role: 'content',
        texts: { eu: { name: 'Hitz kopurua' } },
        config_schema: { properties: { most: { default: 500 } } },
      });
    });

    it('is checked when an assistant is validated and saved', async () => {
      expect(await codes(multiTool([counting({ most: 0 })]), '{1_count}')).toContain('tool.config_invalid');
      const metadata = multiTool([counting({ surprise: 1 })]);
      expect((await app.api('POST', '/api/v1/assistants', { name: 'Wrong', metadata })).text).toContain('surprise');
    });

    it('fills its slot, tells its progress in a stream and words its own failures', async () => {
      const withTool = (config: object = {}) =>
        makeAssistant(app, {
          prompt_template: '{1_count} {user_input}',
          metadata: multiTool([counting(config)], BYPASS),
        });
      const id = await withTool();
      expect(await answerOf(id)).toContain('Words: 4');
      const { comments, text } = await streamed(app, '/v1/chat/completions', question(id, 'Why?'));
      expect(comments).toContain('counting words');
      expect(text).toContain('Words: 1');
      const { results } = await reportOf(await withTool({ most: 1 }));
      expect(results).toMatchObject([{ status: 'failed', code: 'tool.limit' }]);
    });
  });

  it('a strategy is listed, checked, and decides the order of the tools', async () => {
    expect(await entry('orchestrators', 'orchestrators', 'last_first')).toMatchObject({
      texts: { eu: { name: 'Azkenetik lehenera' } },
      shape: { order: 'chain', planned: false },
      options_schema: { properties: { most: { default: 20 } } },
    });
    const metadata = multiTool([counting(), counting({ label: 'Again' }, '2_count')], {
      ...BYPASS,
      orchestrator: 'last_first',
    });
    expect(await codes({ ...metadata, orchestrator_options: { most: 0 } }, '{1_count}{2_count}')).not.toEqual(
      await codes(metadata, '{1_count}{2_count}'),
    );
    const id = await makeAssistant(app, { prompt_template: '{1_count} {2_count} {user_input}', metadata });
    expect(await reportOf(id)).toMatchObject({ orchestrator: 'last_first', stages: [['2_count'], ['1_count']] });
  });

  it('a connector is listed, configured by its own variables, answers, streams and words its failures', async () => {
    expect(await entry('connectors', 'connectors', 'parrot')).toMatchObject({
      configured: true,
      default_model: 'grey',
    });
    const id = await makeAssistant(app, {
      prompt_template: '{user_input}',
      metadata: { connector: 'parrot', llm: '' },
    });
    expect((await answerOf(id, 'Say it again')).trim()).toBe('Say it again');
    const { text, chunks } = await streamed(app, '/v1/chat/completions', question(id, 'Say it again'));
    expect([text.trim(), chunks.length > 3]).toEqual(['Say it again', true]);
    expect((await ask(id, 'crash')).json.error).toMatchObject({ code: 'upstream_error' });
  });

  it('processors are listed, checked, and build the prompt of a classic assistant', async () => {
    expect(await entry('rag-processors', 'rag_processors', 'opening_hours')).toMatchObject({ slots: ['context'] });
    expect(await entry('prompt-processors', 'prompt_processors', 'question_first')).toMatchObject({ aliases: [] });
    const processors = { rag_processor: 'opening_hours', prompt_processor: 'question_first' };
    expect(await codes(processors)).not.toContain('processor.unknown');
    const id = await makeAssistant(app, { metadata: { ...processors, connector: 'bypass', llm: 'debug-bypass' } });
    const prompt = await answerOf(id);
    expect(prompt.indexOf('Why is it blue?')).toBeLessThan(prompt.indexOf('The library is open'));
  });

  it('a function is listed, offered to the model and called by it', async () => {
    expect(await entry('tools', 'tools', 'dice')).toMatchObject({ kind: 'function', function_name: 'roll_dice' });
    const id = await makeAssistant(app, { metadata: { functions: [{ type: 'dice', sides: 2 }] } });
    upstream
      .expect({ toolCalls: [{ id: 'call_1', name: 'roll_dice', arguments: '{"count":3}' }] })
      .expect({ content: 'Good luck.' });
    expect(await answerOf(id)).toBe('Good luck.');
    expect((upstream.requests[1]?.body as any).messages.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringMatching(/^\[[12],[12],[12]\]$/),
    });
    upstream.verify();
  });

  it('says in the description of the API what all catalogues answer with', async () => {
    const { json: document } = await app.api('GET', '/api/openapi.json');
    const tool = await entry('tools', 'tools', 'dice');
    expect(Object.keys(tool)).toEqual(expect.arrayContaining(document.components.schemas.ToolDto.required));
  });
});

describe('a program that embeds the service', () => {
  const texts: ToolTexts = { started: (target) => `mine ${target}`, completed: () => 'done' };
  const mine = (name: string): OrchestratorStrategy => ({
    definition: {
      name,
      description: 'Runs nothing in a new way.',
      reads: [],
      shape: { order: 'parallel', planned: false },
      options_schema: { type: 'object' },
    },
    compile:
      (tools) =>
      async ({ start }) => {
        for (const tool of tools) await start(tool, texts, []);
        return { stages: [[name]] };
      },
  });
  class MyParallel implements OrchestratorStrategy {
    readonly definition = { ...mine('parallel').definition, description: 'The one that is bound to the token.' };
    readonly compile = mine('token').compile;
  }

  it('replaces a strategy by its token, or by a plugin, and the next start has ours again', async () => {
    const app = await startApp({
      env: { BELLWETHER_PLUGINS: join(folder, 'word-count-tool') },
      plugins: [definePlugin({ strategies: [mine('sequential')], replaces: ['sequential'] })],
      overrides: [{ provide: orchestratorToken('parallel'), useClass: MyParallel }],
    });
    const stagesOf = async (orchestrator: string) => {
      const metadata = multiTool([counting()], { ...BYPASS, orchestrator });
      const id = await makeAssistant(app, { prompt_template: '{1_count} {user_input}', metadata });
      const body = { model: `lamb_assistant.${id}`, messages: [user('Why?')] };
      const { run_id } = (await app.api('POST', '/v1/chat/completions', body)).json;
      return (await app.api('GET', `/api/v1/runs/${run_id}/report`)).json.stages;
    };
    expect(await stagesOf('parallel')).toEqual([['token']]);
    expect(await stagesOf('sequential')).toEqual([['sequential']]);
    await app.stop();
    const plain = await startApp({ reset: false });
    const { orchestrators } = (await plain.api('GET', '/api/v1/orchestrators')).json;
    expect(JSON.stringify(orchestrators)).not.toContain('bound to the token');
    await plain.stop();
  });

  it('is told which token nobody provides', async () => {
    const overrides = [{ provide: orchestratorToken('nobody'), useClass: MyParallel }];
    await expect(startApp({ overrides, reset: false })).rejects.toThrow('OrchestratorStrategy:nobody');
  });
});

describe('plugins that cannot be used', () => {
  it('stop the start, each named as it is configured', async () => {
    const env = { BELLWETHER_PLUGINS: '/nowhere/plugin,@school/nothing' };
    await expect(startApp({ env, reset: false })).rejects.toThrow(
      /\/nowhere\/plugin: there is no file or folder[^]*@school\/nothing: no package of this name/,
    );
  });

  it('may not take a name of the service without saying so', async () => {
    const strategy = {
      definition: {
        name: 'planned',
        description: 'Plans.',
        reads: [],
        shape: { order: 'chain', planned: true },
        options_schema: { type: 'object' },
      },
      compile: () => () => Promise.resolve(),
    } as const;
    await expect(startApp({ plugins: [{ strategies: [strategy] }], reset: false })).rejects.toThrow(
      'plugins[0]: strategies has planned, and so has the service',
    );
  });
});
