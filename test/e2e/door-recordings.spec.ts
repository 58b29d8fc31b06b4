import { startApp, type TestApp } from '../support/app';
import { makeAssistant, makeMember, multiTool, user } from '../support/chat';
import { type KbServer, startKbServer } from '../support/kb-server';
import { startUpstream, type Upstream, type UpstreamReply } from '../support/upstream';

const PASSAGES = {
  plugin: 'simple_rag',
  placeholder: '1_context',
  enabled: true,
  cache: false,
  config: { collections: ['bio'] },
};
const RUBRIC = { plugin: 'rubric_rag', placeholder: '2_rubric', enabled: true, config: { rubric_id: null } };
/** Arguments that no schema accepts: the call fails in the same way every time and asks nobody. */
const CALL = { id: 'call_1', name: 'get_weather', arguments: '{"town":1}' };
const ANSWER = { content: 'It depends.', pieces: ['It ', 'depends', '.'] };
const LOOK = { content: 'Let me look.', toolCalls: [CALL] };

/** Ids, times and durations as their kinds; every other byte stays. */
const masked = (bytes: string): string =>
  bytes
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/"created":\d+/g, '"created":<seconds>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/_ms":\s?[\d.]+/g, '_ms":<ms>')
    .replace(/(assistant_id":|lamb_assistant\.)\d+/g, '$1<id>')
    .replace(/127\.0\.0\.1:\d+/g, '<host>')
    .replace(/[\d.]+ ?ms\b/g, '<ms>');

/** The doors' bytes as they were recorded: a client that parses one release parses the next. */
describe('recorded answers of the doors', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  const assistants: Record<string, number> = {};
  let student: Record<string, string>;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-recordings-1' } });
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: kb.url, api_token: 't' } });
    assistants['tools'] = await makeAssistant(app, {
      prompt_template: '{1_context}{2_rubric}{user_input}',
      metadata: multiTool([PASSAGES, RUBRIC]),
    });
    assistants['functions'] = await makeAssistant(app, { metadata: { tools: ['weather'] } });
    assistants['classic'] = await makeAssistant(app);
    for (const id of Object.values(assistants)) await app.api('PUT', `/api/v1/assistants/${id}/publication`);
    student = (await makeMember(app, 'member', ['chat'])).headers;
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
  });

  const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ messages: [user('Why?')], ...body }),
    });
  const answered = async (assistant: string, body: object, headers = {}): Promise<string> => {
    const response = await post(`/api/v1/assistants/${assistants[assistant]}/completions`, body, headers);
    const type = response.headers.get('content-type');
    return masked(`${response.status} ${type}\n${await response.text()}`);
  };
  const streaming = (options: object = {}): object => ({ stream: true, stream_options: options });
  const expecting = (replies: readonly UpstreamReply[]): void => {
    for (const reply of replies) upstream.expect(reply);
  };

  it.each<[string, string, object, UpstreamReply[]]>([
    ['a stream, progress as comments', 'tools', streaming(), [ANSWER]],
    ['a stream, progress as chunks', 'tools', streaming({ progress: 'chunk' }), [ANSWER]],
    ['a stream, progress as statuses', 'tools', streaming({ progress: 'status' }), [ANSWER]],
    ['a stream without progress, with usage', 'tools', streaming({ progress: 'off', include_usage: true }), [ANSWER]],
    ['a stream of a classic assistant', 'classic', streaming(), [ANSWER]],
    ['a stream of two rounds', 'functions', streaming({ progress: 'chunk', include_usage: true }), [LOOK, ANSWER]],
    ['a stream of two rounds, without usage', 'functions', streaming({ progress: 'off' }), [LOOK, ANSWER]],
    ['a report as a stream', 'tools', { verbose: true, ...streaming({ progress: 'off', include_usage: true }) }, []],
    ['a stream that the vendor cuts', 'tools', streaming({ progress: 'off' }), [{ fault: 'cut-mid-stream' }]],
    ['a stream that the vendor refuses', 'tools', streaming({ progress: 'off' }), [{ fault: 'unauthorized' }]],
    ['a body', 'tools', {}, [ANSWER]],
    ['a body of two rounds', 'functions', {}, [LOOK, ANSWER]],
    ['a report as a body', 'tools', { verbose: true }, []],
    ['an error as a body', 'classic', {}, [{ fault: 'unauthorized' }]],
  ])('%s', async (_name, assistant, body, replies) => {
    expecting(replies);
    expect(await answered(assistant, body)).toMatchSnapshot();
  });

  it('a stream of two rounds for a student', async () => {
    expecting([LOOK, ANSWER]);
    expect(await answered('functions', streaming({ progress: 'chunk' }), student)).toMatchSnapshot();
  });

  it('the doors of OpenAI and of LAMB', async () => {
    expecting([ANSWER, ANSWER]);
    const model = `lamb_assistant.${assistants['classic']}`;
    const openAi = await (await post('/v1/chat/completions', { model, ...streaming() })).text();
    const path = `/lamb/v1/completions?assistant=${assistants['classic']}`;
    const lamb = await (await post(path, streaming())).text();
    expect(masked(openAi)).toMatchSnapshot();
    expect(masked(lamb)).toBe(masked(openAi));
  });

  it('the events of a run that was answered, and of one in the background', async () => {
    expecting([ANSWER, LOOK, ANSWER]);
    const auth = { authorization: `Bearer ${app.adminKey}` };
    const events = async (id: string): Promise<string> =>
      masked(await (await fetch(`${app.url}/api/v1/runs/${id}/events`, { headers: auth })).text());
    const path = `/api/v1/assistants/${assistants['tools']}/completions`;
    const answer = await post(path, {});
    await answer.text();
    expect(await events(String(answer.headers.get('x-run-id')))).toMatchSnapshot();
    const started = await post(`/api/v1/assistants/${assistants['functions']}/runs`, {});
    const { id } = (await started.json()) as { id: string };
    await events(id);
    // The second reading comes from the log alone: how deltas were gathered live depends on the moment.
    const replayed = (await events(id)).replace(/event: llm\.delta\nid: \d+\ndata: .*\n\n/g, '');
    expect(replayed.replace(/"seq":\d+|id: \d+/g, '<seq>')).toMatchSnapshot();
  });
});
