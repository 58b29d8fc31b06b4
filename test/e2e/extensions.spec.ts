import { filesForm, startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { runCommand } from '../support/command';
import { testDatabaseUrl } from '../support/database';
import { startUpstream, type Upstream } from '../support/upstream';

const EXTENSION_PATHS =
  /^\/(scim|lti|mcp)|lti|\/scim\/|\/courses|\/activities|\/insights|\/(test-runs|tests|publication-gate|expectations)|\/(judgements|evaluation|replay)$|^\/api\/v1\/replays/;

describe('a service without extensions', () => {
  let app: TestApp;
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream();
    const env = { BELLWETHER_EXTENSIONS: 'none', OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-core-1' };
    app = await startApp({ env });
  });
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  it('answers with classic and multi-tool assistants, at once and as a stream', async () => {
    upstream.always({ content: 'An answer.' });
    await app.api('POST', '/api/v1/files', filesForm(['guide.md', 'Be kind.']));
    const tools = [
      { plugin: 'single_file_rag', placeholder: '1_file', enabled: true, config: { file_path: 'guide.md' } },
    ];
    const classic = {};
    for (const metadata of [classic, multiTool(tools)]) {
      const isClassic = metadata === classic;
      const prompt_template = isClassic ? '{user_input}' : '{1_file} {user_input}';
      const id = await makeAssistant(app, { name: isClassic ? 'Classic' : 'Tools', prompt_template, metadata });
      const question = { model: `lamb_assistant.${id}`, messages: [user('What is here?')] };
      const { status, json } = await app.api('POST', '/v1/chat/completions', question);
      expect([status, json.choices?.[0].message.content]).toEqual([200, 'An answer.']);
      expect(await streamed(app, '/v1/chat/completions', question)).toMatchObject({ status: 200, text: 'An answer.' });
      const published = await app.api('PUT', `/api/v1/assistants/${id}/publication`);
      expect(published.json).toMatchObject({ published: true, live_version: 1 });
    }
  });

  it('describes no route of an extension, and has none', async () => {
    const { paths, tags } = (await app.api('GET', '/api/openapi.json')).json;
    expect(Object.keys(paths).filter((path) => EXTENSION_PATHS.test(path))).toEqual([]);
    expect(tags.map(({ name }: { name: string }) => name)).not.toContain('LTI');
    for (const path of ['/scim/v2/Users', '/lti/jwks', '/mcp', '/api/v1/lti/courses']) {
      expect([path, (await app.api('GET', path)).status]).toEqual([path, 404]);
    }
    expect((await app.api('GET', '/lti/jwks')).json).toMatchObject({ code: 'not_found', status: 404 });
    expect((await app.api('GET', '/api/v1/me')).json.extensions).toEqual([]);
  });

  it('refuses the commands of an extension in one sentence', async () => {
    const env = { BELLWETHER_EXTENSIONS: 'none', DATABASE_URL: testDatabaseUrl(), DATA_DIR: app.dataDir };
    const { code, err } = await runCommand(env, 'assistants:test', 'all');
    const sentence = 'The command belongs to the extension evaluations, which is off: see BELLWETHER_EXTENSIONS.';
    expect([code, err.trim()]).toEqual([1, sentence]);
  });
});
