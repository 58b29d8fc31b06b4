import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import openApi from '../../docs/reference/openapi.json';
import type { OrchestratorStrategy } from '../../src/orchestrators';
import type { PromptProcessor, RagProcessor } from '../../src/processors';
import type { startApp as StartApp, TestApp } from '../support/app';
import { makeAssistant, multiTool, user } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';

/** Modules are loaded after the lists grew, so nothing of the application may be imported above. */
interface Lists {
  readonly STRATEGY_PLUGINS: { key: string; useClass: Type<OrchestratorStrategy> }[];
  readonly PROMPT_PROCESSOR_PLUGINS: Type<PromptProcessor>[];
  readonly RAG_PROCESSOR_PLUGINS: Type<RagProcessor>[];
}

const STRATEGY = `
exports.ReversedStrategy = class ReversedStrategy {
  definition = {
    name: 'reversed', description: 'Runs the tools from the last to the first.',
    texts: { eu: { name: 'Alderantziz', about: 'Azkenetik lehenera.', best: 'Probetarako.' } },
    reads: ['when'], shape: { order: 'chain', planned: false },
    options_schema: {
      type: 'object',
      properties: { only: { type: 'integer', title: 'Only', minimum: 1, default: 20 } },
      additionalProperties: false,
    },
  };
  compile(tools, { only }) {
    const order = [...tools].reverse().slice(0, only);
    const texts = { started: (target) => 'reversed ' + target, completed: () => 'done' };
    return async ({ start }) => {
      const earlier = [];
      for (const tool of order) earlier.push(await start(tool, texts, [...earlier]));
      return { stages: order.map(({ placeholder }) => [placeholder]) };
    };
  }
};`;

const PROMPT = `
exports.ShoutAugment = class ShoutAugment {
  definition = {
    name: 'shout_augment', aliases: ['loud'], description: 'Asks in capital letters.',
    texts: { eu: { name: 'Ozen', about: 'Letra larriz galdetzen du.' } }, slots: ['mood'],
  };
  async gather() {
    return { values: new Map([['mood', 'cheerful']]), warnings: [] };
  }
  build({ messages, template, rag, gathered }) {
    const values = { user_input: messages.at(-1).content.toUpperCase(), context: rag ? rag.context : '', mood: gathered.get('mood') };
    const content = template.replace(/\\{(user_input|context|mood)\\}/g, (_, slot) => values[slot]);
    return { messages: [{ role: 'user', content }], droppedParts: 0 };
  }
};`;

const RAG = `
exports.TideRag = class TideRag {
  definition = {
    name: 'tide_rag', aliases: ['tides'], description: 'Tells the tide.',
    texts: { eu: { name: 'Marea', about: 'Marea esaten du.' } }, settings: ['collections'], slots: ['context'],
  };
  async run({ collections }) {
    return { content: 'High tide in ' + collections.join(), sources: [], confidence: null };
  }
};`;

describe('a strategy and classic processors, each one file and one line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-plugins-'));
  const load = (name: string, source: string): any => {
    writeFileSync(join(folder, `${name}.js`), source);
    return jest.requireActual(join(folder, `${name}.js`));
  };
  let app: TestApp;
  let upstream: Upstream;

  beforeAll(async () => {
    // The one line of each: an entry of a catalog/index.ts.
    const strategies = jest.requireActual<Lists>('../../src/orchestrators/catalog');
    const processors = jest.requireActual<Lists>('../../src/processors/catalog');
    const { ReversedStrategy } = load('reversed.strategy', STRATEGY);
    strategies.STRATEGY_PLUGINS.push({ key: 'reversed', useClass: ReversedStrategy });
    processors.PROMPT_PROCESSOR_PLUGINS.push(load('shout-augment.processor', PROMPT).ShoutAugment);
    processors.RAG_PROCESSOR_PLUGINS.push(load('tide-rag.processor', RAG).TideRag);
    // The application reads the lists when its modules load.
    const { startApp } = jest.requireActual<{ startApp: typeof StartApp }>('../support/app');
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-plugins-2' } });
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true });
  });

  const ask = (id: number, more: object = {}) =>
    app.api('POST', '/v1/chat/completions', { model: `lamb_assistant.${id}`, messages: [user('Why?')], ...more });
  const sent = () => (upstream.requests[0]?.body as any).messages;
  const entry = async (path: string, list: string, name: string) =>
    (await app.api('GET', `/api/v1/${path}`)).json[list].find((each: { name: string }) => each.name === name);
  const diagnostics = async (body: object) =>
    (await app.api('POST', '/api/v1/assistants/validate', body)).json.diagnostics as { code: string; path: string }[];
  const fitsOpenApi = (schema: 'OrchestratorDto' | 'ProcessorDto', answered: object) =>
    expect(Object.keys(answered).sort()).toEqual([...openApi.components.schemas[schema].required].sort());

  describe('the strategy', () => {
    const FIRST = { plugin: 'no_rag', enabled: true, config: {} };
    const tools = [FIRST, { ...FIRST, plugin: 'moodle_user', placeholder: '1_moodle_user' }];
    const reversed = (options: object) => multiTool(tools, { orchestrator: 'reversed', orchestrator_options: options });

    it('stands in the catalogue with the data of form and diagram', async () => {
      const found = await entry('orchestrators', 'orchestrators', 'reversed');
      expect(found).toMatchObject({
        texts: { eu: { name: 'Alderantziz' } },
        reads: ['when'],
        shape: { order: 'chain', planned: false },
        options_schema: { properties: { only: { title: 'Only', default: 20 } } },
        recommended: false,
      });
      fitsOpenApi('OrchestratorDto', found);
    });

    it('is validated when an assistant is saved', async () => {
      const save = (options: object) =>
        app.api('POST', '/api/v1/assistants', { name: 'Reversed', metadata: reversed(options) });
      const refused = await save({ only: 0 });
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.text).toContain('only');
      expect((await save({ only: 1 })).status).toBe(201);
      const codes = (await diagnostics({ template: '{user_input}', metadata: reversed({}) })).map(({ code }) => code);
      expect(codes).not.toContain('strategy.unknown');
    });

    it('runs, decides the order, and stands in the report', async () => {
      const id = await makeAssistant(app, {
        prompt_template: '{1_moodle_user} {user_input}',
        metadata: reversed({ only: 1 }),
      });
      upstream.expect({ content: 'Because.' });
      const { json } = await ask(id);
      const report = (await app.api('GET', `/api/v1/runs/${json.run_id}/report`)).json;
      expect(report).toMatchObject({ orchestrator: 'reversed', stages: [['1_moodle_user']] });
      expect(report.results.map(({ status }: { status: string }) => status)).toEqual(['skipped', 'completed']);
    });
  });

  describe('the processors', () => {
    const classic = (more: object = {}, fields: object = {}) =>
      makeAssistant(app, {
        prompt_template: '{mood} {context} {user_input} {1_context}',
        metadata: { prompt_processor: 'loud', rag_processor: 'tides', ...more },
        ...fields,
      });

    it('stand in the catalogue with the data of the form', async () => {
      const prompt = await entry('prompt-processors', 'prompt_processors', 'shout_augment');
      expect(prompt).toMatchObject({
        texts: { eu: { name: 'Ozen' } },
        settings: [],
        slots: ['mood'],
        aliases: ['loud'],
      });
      const rag = await entry('rag-processors', 'rag_processors', 'tide_rag');
      expect(rag).toMatchObject({ texts: { eu: { name: 'Marea' } }, settings: ['collections'], slots: ['context'] });
      fitsOpenApi('ProcessorDto', rag);
      const { json } = await app.api('GET', '/lamb/v1/completions/list');
      expect([json.prompt_processors, json.rag_processors]).toEqual([
        expect.arrayContaining(['shout_augment']),
        expect.arrayContaining(['tide_rag']),
      ]);
    });

    it('are validated like the others: name, slots and references', async () => {
      const found = await diagnostics({
        template: '{mood} {user_input}',
        metadata: { prompt_processor: 'shout_augment', rag_processor: 'tide_rag' },
        RAG_collections: ['no-such-base'],
      });
      const codes = found.map(({ code }) => code);
      expect(codes).not.toContain('processor.unknown');
      expect(found).toContainEqual(expect.objectContaining({ code: 'tool.inaccessible', path: 'RAG_collections[0]' }));
      expect(found).toContainEqual(expect.objectContaining({ code: 'placeholder.unused' }));
    });

    it('run under their aliases, fill their slots and stand in the report', async () => {
      const { json: base } = await app.api('POST', '/api/v1/knowledge-bases', { name: 'Tides', slug: 'tides' });
      const id = await classic({}, { RAG_collections: [base.slug] });
      upstream.expect({ content: 'Soon.' });
      const { json } = await ask(id);
      expect(sent().at(-1).content).toMatch(/^cheerful High tide in \S+ WHY\? \{1_context\}$/);
      const report = (await app.api('GET', `/api/v1/runs/${json.run_id}/report`)).json;
      expect(report.tools).toMatchObject([{ plugin: 'tide_rag', placeholder: 'context' }]);
      expect(report.results).toMatchObject([{ plugin: 'tide_rag', status: 'completed' }]);
    });
  });
});
