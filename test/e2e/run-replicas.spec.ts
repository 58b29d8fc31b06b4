import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { ActiveRuns } from '../../src/runs/run';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, streamed, user } from '../support/chat';
import { mcpClient, textsOf } from '../support/mcp-client';
import { foreignOrganization, person, type Person } from '../support/people';
import { flawsOf, follow, readEvents } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

/** Within which a lost right ends what runs. */
const PROMISED_MS = 5_000;

describe('two processes on one database', () => {
  let upstream: Upstream;
  /** The process that is asked carries out a completion; the first to fetch its job carries out a background run. */
  let here: TestApp;
  let there: TestApp;
  let id: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    const env = {
      OPENAI_BASE_URL: upstream.url,
      OPENAI_API_KEY: 'sk-canary-runs-8',
      BOOTSTRAP_ADMIN_KEY: `bw_${'p'.repeat(40)}`,
      SECRETS_KEY: `test:${randomBytes(32).toString('hex')}`,
    };
    here = await startApp({ env });
    there = await startApp({ env, reset: false });
    id = await makeAssistant(here);
  });
  beforeEach(() => upstream.reset());
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await upstream.stop();
  });

  const start = async (): Promise<string> =>
    (await here.api('POST', `/api/v1/assistants/${id}/runs`, { messages: [user('Hi')] })).json.id as string;
  /** The process that does not carry out the run which goes on: on a busy machine the one that was asked may be late. */
  const otherOne = async (): Promise<TestApp> => {
    const runner = await until(() => upstream.active > 0 && [here, there].find((app) => app.get(ActiveRuns).size > 0));
    return runner === here ? there : here;
  };

  it('tell of a run with the same bytes, while it goes on and afterwards', async () => {
    upstream.expect({ content: 'word '.repeat(40), delayMs: 10 });
    const run = await start();
    const readers = await Promise.all([here, there, there].map((app) => follow(app, `${run}/events`)));
    await Promise.all(readers.map(({ ended }) => ended));
    const [first, ...others] = readers.map(({ frames }) => frames.map(({ raw }) => raw).join(''));
    expect(flawsOf(readers[0]?.frames ?? [])).toEqual([]);
    for (const other of others) expect(other).toBe(first);
    for (const app of [here, there]) {
      expect((await readEvents(app, `${run}/events`)).raw).toBe(first);
      expect((await app.api('GET', `/api/v1/runs/${run}`)).json).toMatchObject({
        status: 'completed',
        answer: 'word '.repeat(40),
      });
    }
  });

  it('end each other’s runs', async () => {
    upstream.expect({ content: 'word '.repeat(20_000), delayMs: 20 });
    const run = await start();
    const other = await otherOne();
    const following = await follow(other, `${run}/events`);
    await until(() => following.frames.length > 0);
    expect((await other.api('POST', `/api/v1/runs/${run}/cancel`)).status).toBe(202);
    await upstream.requests[0]?.closedEarly;
    await following.ended;
    expect(flawsOf(following.frames)).toEqual([]);
    expect(following.frames.at(-1)?.event).toBe('run.cancelled');
  });

  it('list, follow and end what another one answers with, once it has lasted a moment', async () => {
    upstream.expect({ content: 'word '.repeat(20_000), delayMs: 20 });
    const answer = streamed(here, '/v1/chat/completions', { model: `lamb_assistant.${id}`, messages: [user('Hi')] });
    const run = await until(
      async () => (await there.api('GET', '/api/v1/runs?status=running')).json.items[0]?.id as string | undefined,
    );
    const following = await follow(there, `${run}/events`);
    expect((await there.api('POST', `/api/v1/runs/${run}/cancel`)).status).toBe(202);
    expect((await answer).chunks.at(-1)).toMatchObject({ error: { code: 'cancelled' } });
    await following.ended;
    expect(flawsOf(following.frames)).toEqual([]);
    expect(following.frames.at(-1)?.event).toBe('run.cancelled');
  });

  it('cancel each other’s calls over MCP', async () => {
    upstream.expect({ content: 'Too late.', firstDelayMs: 60_000 });
    const client = await mcpClient(here, here.adminKey);
    const call = client.callTool({ name: `assistant_${id}`, arguments: { query: 'Hi' } }, undefined, {
      timeout: 60_000,
    });
    call.catch(() => undefined);
    await until(() => upstream.active === 1);
    const asked = performance.now();
    for (let requestId = 0; requestId < 5; requestId += 1) {
      const session = (client.transport as { sessionId?: string } | undefined)?.sessionId ?? '';
      const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
      const accept = 'application/json, text/event-stream';
      const { status } = await there.api('POST', '/mcp', body, { accept, 'mcp-session-id': session });
      expect(status).toBe(202);
    }
    expect(((await upstream.requests[0]?.closedEarly) ?? Infinity) - asked).toBeLessThan(PROMISED_MS);
    await client.close();
  });

  describe('end what goes on for somebody who loses the right to it', () => {
    interface Branch {
      readonly slug: string;
      readonly boss: Person;
      readonly teacher: Person;
      readonly assistant: number;
    }

    const branch = async (): Promise<Branch> => {
      const slug = await foreignOrganization(here);
      const boss = await person(here, {
        organization: slug,
        role: 'owner',
        scopes: ['chat', 'read', 'write', 'admin'],
      });
      const teacher = await person(here, { organization: slug });
      const provider = { api_key: 'sk-branch', base_url: upstream.url };
      await boss.api('PATCH', `/api/v1/organizations/${slug}`, { providers: { openai: provider } });
      const made = await teacher.api('POST', '/api/v1/assistants', {
        name: 'Tutor',
        prompt_template: '{user_input}',
        metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
      });
      return { slug, boss, teacher, assistant: made.json.id as number };
    };

    const revokeKey = async ({ boss, teacher }: Branch) => {
      const { items } = (await boss.api('GET', `/api/v1/api-keys?owner=${teacher.email}`)).json;
      return boss.api('DELETE', `/api/v1/api-keys/${items[0].id as string}`);
    };
    const member = ({ slug, teacher }: Branch) => `/api/v1/organizations/${slug}/members/${teacher.userId}`;

    it.each<[string, (where: Branch) => Promise<{ status: number }>, string]>([
      ['a key that is revoked', revokeKey, 'unauthenticated'],
      [
        'a member who is disabled',
        (where) => where.boss.api('PATCH', member(where), { disabled: true }),
        'unauthenticated',
      ],
      [
        'an organization that is suspended',
        ({ slug }) => here.api('PUT', `/api/v1/organizations/${slug}/suspension`),
        'unauthenticated',
      ],
      [
        'an assistant that is suspended',
        ({ boss, assistant }) => boss.api('PUT', `/api/v1/assistants/${assistant}/suspension`),
        'not_found',
      ],
    ])('%s', async (_, end, code) => {
      const where = await branch();
      const { assistant, teacher } = where;
      const headers = { authorization: `Bearer ${teacher.key}` };
      const messages = [user('Hi')];
      const model = `lamb_assistant.${assistant}`;
      const client = await mcpClient(there, teacher.key);
      upstream.expect({ content: 'word '.repeat(3_000), delayMs: 20 }, { times: 4 });
      const streams = [
        streamed(there, '/v1/chat/completions', { model, messages }, headers),
        streamed(there, `/lamb/v1/completions?assistant=${assistant}`, { messages }, headers),
        streamed(there, `/api/v1/assistants/${assistant}/completions`, { messages }, headers),
      ];
      const started = await there.api('POST', `/api/v1/assistants/${assistant}/runs`, { messages }, headers);
      const events = there.api('GET', `/api/v1/runs/${started.json.id as string}/events`, undefined, headers);
      await until(() => upstream.active === 4);
      upstream.expect({ content: 'Too late.', firstDelayMs: 60_000 }, { times: 2 });
      const plain = there.api('POST', '/v1/chat/completions', { model, messages }, headers);
      const called = client.callTool({ name: `assistant_${assistant}`, arguments: { query: 'Hi' } });
      await until(() => upstream.active === 6);

      const ended = performance.now();
      expect((await end(where)).status).toBeLessThan(300);
      const closed = await Promise.all(upstream.requests.map((request) => request.closedEarly));
      expect(Math.max(...closed) - ended).toBeLessThan(PROMISED_MS);
      for (const stream of await Promise.all(streams)) {
        expect(stream.chunks.at(-1)).toMatchObject({ error: { code: expect.any(String) } });
        expect(stream.data).not.toContain('[DONE]');
      }
      expect((await plain).status).toBe(code === 'not_found' ? 404 : 401);
      expect(
        textsOf(await called.catch((error: Error) => ({ content: [{ type: 'text', text: error.message }] }))),
      ).toEqual([expect.stringMatching(code === 'not_found' ? /Unknown tool/ : /unauthenticated/)]);
      await events;
      await client.close();

      // The organization may be suspended: its records are read as its rows.
      const rows = await until(async () => {
        const found = await here
          .get(DataSource)
          .query<{ status: string; error_code: string }[]>(
            'SELECT status, error_code FROM runs WHERE assistant_id = $1',
            [assistant],
          );
        return found.length === 6 && found.every(({ status }) => status !== 'running') && found;
      });
      expect(rows).toEqual(Array.from({ length: 6 }, () => ({ status: 'failed', error_code: code })));
    });
  });
});
