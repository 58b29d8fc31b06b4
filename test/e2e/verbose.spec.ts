import { startApp, type TestApp } from '../support/app';
import { makeAssistant, makeMember, multiTool, streamed, user } from '../support/chat';
import { type KbServer, startKbServer } from '../support/kb-server';
import { startUpstream, type Upstream } from '../support/upstream';

const CANARY = 'sk-canary-verbose-0123456789';

describe('a verbose completion', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let quiet: number;
  let loud: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer({ text: `Osmosis moves water. ${CANARY} ${'x'.repeat(900)}` });
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: CANARY } });
    await app.api('PATCH', '/api/v1/organizations/default', {
      knowledge_base: { server_url: kb.url, api_token: 'kb-token-canary' },
    });
    const tool = { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: ['bio'] } };
    const make = (verbose: boolean) =>
      makeAssistant(app, {
        name: 'Verbose tutor',
        prompt_template: 'Context: {1_context}\nQuestion: {user_input}',
        metadata: multiTool([tool], { verbose }),
      });
    quiet = await make(false);
    loud = await make(true);
    for (const id of [quiet, loud]) await app.api('PUT', `/api/v1/assistants/${id}/publication`);
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
  });

  const ask = (id: number, more: object = {}, headers?: Record<string, string>) =>
    app.api(
      'POST',
      '/v1/chat/completions',
      { model: `lamb_assistant.${id}`, messages: [user('Why?')], ...more },
      headers,
    );

  it('gives an editor the report as an ordinary answer, and does not ask the model', async () => {
    const { status, json } = await ask(quiet, { verbose: true });
    expect(status).toBe(200);
    const [choice] = json.choices;
    expect(choice.finish_reason).toBe('stop');
    expect(json.usage).toEqual({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
    expect(json.sources).toHaveLength(1);
    for (const text of [
      '# Multi-Tool Orchestration Report',
      '**Orchestrator:** sequential',
      '**Assistant:** Verbose tutor',
      '- **User Message:** Why?',
      '### Tool 1: simple_rag',
      '### 1_context (context)',
      '- **Total Sources:** 1',
      '### Message 1 (system)',
      '### Message 2 (user)',
    ]) {
      expect(choice.message.content).toContain(text);
    }
    expect(choice.message.content).not.toContain('x'.repeat(501));
    expect(upstream.requests).toHaveLength(0);
  });

  it('streams it as an ordinary stream', async () => {
    const body = { model: `lamb_assistant.${quiet}`, messages: [user('Why?')], verbose: true };
    const answer = await streamed(app, '/v1/chat/completions', { ...body, stream_options: { include_usage: true } });
    expect(answer.text).toContain('# Multi-Tool Orchestration Report');
    expect(answer.text).toContain('- **Stream Mode:** true');
    const finish = answer.chunks.find((chunk) => chunk.choices[0]?.finish_reason === 'stop');
    expect(finish).toMatchObject({ run_id: answer.headers.get('x-run-id'), sources: [expect.any(Object)] });
    expect(answer.chunks.at(-1).usage.total_tokens).toBe(0);
    expect(answer.data.at(-1)).toBe('[DONE]');
  });

  it('holds no secret, by value or by shape', async () => {
    const { text } = await ask(loud, { messages: [user(`my key is bw_live_abcdefabcdef_${'s'.repeat(43)}`)] });
    for (const leak of [CANARY, 'kb-token-canary', 'sssss']) expect(text).not.toContain(leak);
    expect(text).toContain('[redacted]');
  });

  it('is safe for list content and images', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAABBBB' } };
    const { status, json } = await ask(loud, {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Look' }, image] }],
    });
    expect(status).toBe(200);
    expect(json.choices[0].message.content).toContain('- **User Message:** Look');
    expect(json.choices[0].message.content).not.toContain('AAAABBBB');
  });

  it('gives those who may only use the assistant the normal answer', async () => {
    const member = await makeMember(app, 'member');
    upstream.expect({ content: 'normal' }, { times: 2 });
    for (const [id, more] of [
      [quiet, { verbose: true }],
      [loud, {}],
    ] as const) {
      expect((await ask(id, more, member.headers)).json.choices[0].message.content).toBe('normal');
    }
  });
});
