import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { FunctionPlugin, Tool } from '../../src/tools';
import type { startApp as StartApp, TestApp } from '../support/app';
import { makeAssistant, multiTool, user } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';

/** Modules are loaded after the lists grew, so nothing of the application may be imported above. */
interface Lists {
  readonly TOOL_PLUGINS: Type<Tool>[];
  readonly FUNCTION_PLUGINS: Type<FunctionPlugin>[];
}
interface Support {
  readonly startApp: typeof StartApp;
}

/** The declaration that both plugins share; `kind` and name differ. */
const DEFINITION = `{
  aliases: [], display_name: 'Tide', description: 'Tells the tide of a harbour.', category: 'nature',
  texts: { eu: { name: 'Marea', about: 'Portu bateko marea esaten du.' } },
  version: '1.0.0', icon: 'wrench', allow_multiple: true, parameters: {}, examples: [],
  capabilities: ['tides'], limitations: [], cost: { unit: 'none', estimate: 0 },
  config_schema: {
    type: 'object',
    properties: { harbour: { type: 'string', title: 'Harbour', default: 'Calp', 'x-texts': { eu: { title: 'Portua' } } } },
    additionalProperties: false,
  },`;

const TOOL = `
exports.TideTool = class TideTool {
  definition = ${DEFINITION} name: 'tide', kind: 'pipeline', placeholder: 'tide', role: 'content' };
  async run({ harbour }) {
    return { content: 'High tide in ' + harbour, sources: [], confidence: 1 };
  }
};`;

const FUNCTION = `
exports.TideFunction = class TideFunction {
  definition = ${DEFINITION} name: 'tide_times', kind: 'function', placeholder: null, function_name: 'get_tide' };
  async offer() {
    return [{ name: 'get_tide', description: 'Tide.', parameters: { type: 'object', properties: {}, additionalProperties: false } }];
  }
  async call(_name, _args, { harbour }) {
    return { content: 'Low tide in ' + harbour };
  }
};`;

describe('a tool and a function, each one file and one line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plugins-'));
  let app: TestApp;
  let upstream: Upstream;

  beforeAll(async () => {
    writeFileSync(join(folder, 'tide.tool.js'), TOOL);
    writeFileSync(join(folder, 'tide.function.js'), FUNCTION);
    const { TideTool } = jest.requireActual<{ TideTool: Type<Tool> }>(join(folder, 'tide.tool.js'));
    const { TideFunction } = jest.requireActual<{ TideFunction: Type<FunctionPlugin> }>(
      join(folder, 'tide.function.js'),
    );
    // The one line of each: what catalog/index.ts and functions/index.ts would hold.
    const { TOOL_PLUGINS } = jest.requireActual<Lists>('../../src/tools/catalog');
    const { FUNCTION_PLUGINS } = jest.requireActual<Lists>('../../src/tools/functions');
    TOOL_PLUGINS.push(TideTool);
    FUNCTION_PLUGINS.push(TideFunction);
    // The application reads the lists when its modules load.
    const { startApp } = jest.requireActual<Support>('../support/app');
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-plugins-1' } });
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true });
  });

  const sent = (n: number) => upstream.requests[n]?.body as any;
  const ask = (id: number, more: object = {}) =>
    app.api('POST', '/v1/chat/completions', { model: `lamb_assistant.${id}`, messages: [user('Tide?')], ...more });
  const withTool = (more: object = {}) =>
    makeAssistant(app, {
      prompt_template: '{1_tide} {user_input}',
      metadata: multiTool(
        [{ plugin: 'tide', placeholder: '1_tide', enabled: true, config: { harbour: 'Dénia' } }],
        more,
      ),
    });

  it('stand in the catalogue with all that form, diagram and planner read', async () => {
    const { json } = await app.api('GET', '/api/v1/tools?capability=tides');
    expect(json.tools).toMatchObject([
      { name: 'tide', kind: 'pipeline', placeholder: 'tide', role: 'content', evidence: 'found', icon: 'wrench' },
      { name: 'tide_times', kind: 'function', function_name: 'get_tide' },
    ]);
    for (const tool of json.tools) {
      expect(tool.texts.eu).toEqual({ name: 'Marea', about: 'Portu bateko marea esaten du.' });
      expect(tool.config_schema.properties.harbour).toMatchObject({ title: 'Harbour', 'x-texts': expect.any(Object) });
    }
  });

  it('are validated, at their route and when an assistant is saved', async () => {
    for (const name of ['tide', 'tide_times']) {
      const { json } = await app.api('POST', `/api/v1/tools/${name}/validate`, { harbour: 7 });
      expect(json).toMatchObject({ valid: false, errors: [{ path: 'harbour' }] });
    }
    const wrong = await app.api('POST', '/api/v1/assistants', {
      name: 'Wrong tide',
      metadata: multiTool([{ plugin: 'tide', placeholder: '1_tide', enabled: true, config: { harbour: 7 } }]),
    });
    expect([wrong.status, wrong.text]).toEqual([expect.any(Number), expect.stringContaining('harbour')]);
    expect(wrong.status).toBeGreaterThanOrEqual(400);
  });

  it('fit the OpenAPI document', async () => {
    const { json: document } = await app.api('GET', '/api/openapi.json');
    const required: string[] = document.components.schemas.ToolDto.required;
    const { json } = await app.api('GET', '/api/v1/tools/tide');
    expect(Object.keys(json)).toEqual(expect.arrayContaining(required));
  });

  it('run, and the tool stands in the report', async () => {
    const id = await withTool();
    const { json } = await ask(id, { verbose: true });
    expect(json.choices[0].message.content).toContain('High tide in Dénia');
    upstream.expect({ content: 'Soon.' });
    expect((await ask(id)).status).toBe(200);
    expect(JSON.stringify(sent(0).messages)).toContain('High tide in Dénia');
  });

  it('is planned by its role', async () => {
    const id = await withTool({ orchestrator: 'planned' });
    const { json } = await app.api('POST', `/api/v1/assistants/${id}/plan`, {
      query: 'When is high tide in the harbour?',
    });
    expect(json.steps).toMatchObject([{ tool: 'tide', placeholder: '1_tide' }]);
  });

  it('is called by the model', async () => {
    const id = await makeAssistant(app, { metadata: { functions: [{ type: 'tide_times', harbour: 'Xàbia' }] } });
    upstream.expect({ toolCalls: [{ id: 'call_1', name: 'get_tide', arguments: '{}' }] }).expect({ content: 'Low.' });
    expect((await ask(id)).json.choices[0].message.content).toBe('Low.');
    expect(sent(0).tools).toMatchObject([{ function: { name: 'get_tide' } }]);
    expect(sent(1).messages.at(-1)).toMatchObject({ role: 'tool', content: 'Low tide in Xàbia' });
  });
});
