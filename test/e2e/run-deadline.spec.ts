import { filesForm, startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { readEvents } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';

const TIMEOUT_MS = 1_000;

describe('the time of a run', () => {
  let app: TestApp;
  let upstream: Upstream;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-runs-9',
        TOOL_RUN_TIMEOUT: String(TIMEOUT_MS),
      },
    });
  });
  beforeEach(() => upstream.reset());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const messages = [user('Why are leaves green?')];
  const startedAt = async (assistant: number, more: object = {}): Promise<string> =>
    (await app.api('POST', `/api/v1/assistants/${assistant}/runs`, { messages, ...more })).json.id as string;

  it('is over in the background, too, where nobody who leaves would end it', async () => {
    upstream.always({ content: 'word '.repeat(5_000), delayMs: 20 });
    const run = await startedAt(await makeAssistant(app));
    const { frames, types } = await readEvents(app, `${run}/events`);
    expect(types).toContain('llm.delta');
    expect(frames.at(-1)?.data).toMatchObject({ type: 'run.failed', code: 'tool_loop.timeout' });
  });

  it('counts the checks of its answer', async () => {
    await app.api('POST', '/api/v1/files', filesForm(['notes.md', 'Leaves are green.']));
    const file = { plugin: 'single_file_rag', placeholder: '1_file', enabled: true, config: { file_path: 'notes.md' } };
    const check = { plugin: 'validation', placeholder: '2_validation', enabled: true, config: { checks: 'answer' } };
    const id = await makeAssistant(app, {
      prompt_template: '{1_file} {user_input}',
      metadata: multiTool([file, check]),
    });
    upstream.expect({ content: 'Green.' }).expect({ content: '{"claims":[]}', firstDelayMs: 300_000 });
    const run = await startedAt(id);
    const { frames, answer } = await readEvents(app, `${run}/events`);
    expect(answer).toBe('Green.');
    expect(frames.at(-1)?.data).toMatchObject({ type: 'run.failed', code: 'tool_loop.timeout' });
  });

  it('has a question that is not as long as a conversation with pictures', async () => {
    const id = await makeAssistant(app);
    const long = { messages: [user('x'.repeat(2_100_000)), user('x'.repeat(2_100_000))] };
    upstream.always({ content: 'Long.' });
    const answers = [
      await app.api('POST', `/api/v1/assistants/${id}/runs`, long),
      await app.api('POST', `/api/v1/assistants/${id}/runs`, { messages: [user('x'.repeat(3_000_000))] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([413, 202]);
    expect((await streamed(app, `/api/v1/assistants/${id}/completions`, long)).text).toBe('Long.');
  });
});
