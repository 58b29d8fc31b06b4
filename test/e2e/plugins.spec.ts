import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';

const EXAMPLES = ['word-count-tool'];

/** The examples, copied to where nothing of this repository is found by accident. */
const folder = mkdtempSync(join(tmpdir(), 'bellwether-plugins-'));
cpSync(join(__dirname, '../../examples'), folder, { recursive: true });
const plugins = EXAMPLES.map((name) => join(folder, name));

describe('plugins outside of the repository', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ env: { BELLWETHER_PLUGINS: plugins.join(',') } });
  });
  afterAll(async () => {
    await app.stop();
    rmSync(folder, { recursive: true });
  });

  const ask = (id: number, more: object = {}) =>
    app.api('POST', '/v1/chat/completions', {
      model: `lamb_assistant.${id}`,
      messages: [user('Why is it blue?')],
      ...more,
    });
  const entry = async (path: string, list: string, name: string) =>
    (await app.api('GET', `/api/v1/${path}`)).json[list].find((each: { name: string }) => each.name === name);
  const counting = (config: object = {}) => ({ plugin: 'word_count', placeholder: '1_count', enabled: true, config });
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
      const metadata = { ...multiTool([counting()]), connector: 'bypass', llm: 'simple-bypass' };
      const id = await makeAssistant(app, { prompt_template: '{1_count} {user_input}', metadata });
      expect((await ask(id)).json.choices[0].message.content).toContain('Words: 4');
      const { comments, text } = await streamed(app, '/v1/chat/completions', {
        model: `lamb_assistant.${id}`,
        messages: [user('Why?')],
      });
      expect([comments, text]).toEqual([
        expect.arrayContaining(['counting words']),
        expect.stringContaining('Words: 1'),
      ]);
      const short = { ...multiTool([counting({ most: 1 })]), connector: 'bypass', llm: 'simple-bypass' };
      const failing = await makeAssistant(app, { prompt_template: '{1_count} {user_input}', metadata: short });
      const { run_id } = (await ask(failing)).json;
      const { results } = (await app.api('GET', `/api/v1/runs/${run_id}/report`)).json;
      expect(results).toMatchObject([{ status: 'failed', code: 'tool.limit' }]);
    });
  });
});

describe('plugins that cannot be used', () => {
  const starting = (value: string) => startApp({ env: { BELLWETHER_PLUGINS: value }, reset: false });

  it('stop the start, each named as it is configured', async () => {
    await expect(starting('/nowhere/plugin,@school/nothing')).rejects.toThrow(
      /\/nowhere\/plugin: there is no file or folder[^]*@school\/nothing: no package of this name/,
    );
  });
});
