import { randomBytes } from 'node:crypto';
import OpenAI from 'openai';
import { DataSource } from 'typeorm';
import { LimitLeases } from '../../src/metering/limit-leases.service';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, streamed, user } from '../support/chat';
import { type Person, person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const USAGE = { prompt_tokens: 400, completion_tokens: 100, total_tokens: 500 };

interface Counter {
  readonly rule_id: string;
  readonly subject: string;
  readonly used: number;
  readonly reserved: number;
  readonly warnings: readonly { percent: number }[];
}

describe('limits, in two processes on one database', () => {
  let upstream: Upstream;
  let here: TestApp;
  let there: TestApp;
  let id: number;
  let student: Person;

  beforeAll(async () => {
    upstream = await startUpstream();
    const env = {
      OPENAI_BASE_URL: upstream.url,
      OPENAI_API_KEY: 'sk-canary-limits-1',
      BOOTSTRAP_ADMIN_KEY: `bw_${'l'.repeat(40)}`,
      SECRETS_KEY: `test:${randomBytes(32).toString('hex')}`,
      RUN_LEASE: '2',
    };
    here = await startApp({ env });
    there = await startApp({ env, reset: false });
    id = await makeAssistant(here);
    await here.api('PUT', `/api/v1/assistants/${id}/publication`);
    student = await person(here, { role: 'member' });
  });
  /** Each process tells the counters what it has used, and returns what no run holds. */
  const settled = async (): Promise<void> => {
    for (const app of [here, there]) await app.get(LimitLeases).giveBack();
  };
  beforeEach(async () => {
    await settled();
    await here.get(DataSource).query('DELETE FROM limit_counters');
    upstream.always({ content: 'Yes.', usage: USAGE });
  });
  afterEach(() => upstream.reset());
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await upstream.stop();
  });

  const settings = async (patch: object): Promise<void> => {
    const answer = await here.api('PATCH', '/api/v1/organizations/default', patch);
    expect([answer.status, answer.json.errors]).toEqual([200, undefined]);
    // The other process learns of it by a signal.
    await until(async () => {
      const known = (await there.api('GET', '/api/v1/organizations/default')).json.version;
      return known === answer.json.version;
    });
  };
  const rules = (...list: readonly object[]): Promise<void> => settings({ limits: { rules: list } });
  const ask = (app: TestApp, { api }: Pick<Person, 'api'> = app, more: object = {}) => {
    const body = { model: `lamb_assistant.${id}`, messages: [user('Hi')], max_tokens: 100, ...more };
    return app === here || api !== app.api
      ? api('POST', '/v1/chat/completions', body)
      : app.api('POST', '/v1/chat/completions', body);
  };
  const thereAs = ({ key }: Person): Pick<Person, 'api'> => ({
    api: (method, path, body) => there.api(method, path, body, { authorization: `Bearer ${key}` }),
  });
  const stored = (): Promise<readonly Counter[]> =>
    here
      .get(DataSource)
      .query(
        'SELECT rule_id, subject, used::int, reserved::int, warnings FROM limit_counters ORDER BY rule_id, subject',
      );
  const counters = async (): Promise<readonly Counter[]> => {
    await settled();
    return stored();
  };
  const token = { id: 'day', for: { kind: 'person' }, limit: 'tokens', amount: 1_200, per: 'day' };

  it.each(['rule', 'tokens_per_day', 'bogus'])('do not take the unknown member %s for a limit', async (member) => {
    const answer = await here.api('PATCH', '/api/v1/organizations/default', { limits: { [member]: [] } });
    expect([answer.status, answer.json.errors.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      [`limits.${member}`],
    ]);
  });

  it('stop a person at the end of the day’s tokens, whichever process is asked', async () => {
    await rules(token);
    const first = await ask(here, student);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-limit')).toBe('1200');
    expect(Number(first.headers.get('ratelimit-remaining'))).toBeLessThan(1_200);
    expect(Number(first.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(86_400);
    await settled();
    expect((await ask(there, thereAs(student))).status).toBe(200);
    expect(await counters()).toMatchObject([{ subject: `person/${student.userId}`, used: 1_000, reserved: 0 }]);
    const refused = await ask(there, thereAs(student), { max_tokens: 300 });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(refused.json.error).toMatchObject({ code: 'quota_exceeded', type: 'insufficient_quota' });
    expect(refused.json.error.message).toContain('"day"');
    expect((await ask(here)).status).toBe(200);
    const [{ warnings } = { warnings: [] }] = (await counters()).filter(({ subject }) =>
      subject.endsWith(student.userId),
    );
    expect(warnings.map(({ percent }) => percent)).toEqual([80, 100]);
    expect(upstream.requests).toHaveLength(3);
  });

  it('reach the official client as its own errors', async () => {
    await rules({ ...token, limit: 'requests', amount: 0, per: 'minute' });
    const client = new OpenAI({ apiKey: student.key, baseURL: `${here.url}/v1`, maxRetries: 0 });
    const asked = client.chat.completions.create({
      model: `lamb_assistant.${id}`,
      messages: [{ role: 'user', content: '?' }],
    });
    await expect(asked).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(asked).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
  });

  it('let the cheaper model answer, and the run’s record says so', async () => {
    await settings({ providers: { openai: { fast_model: 'gpt-fast' } } });
    await rules({ ...token, amount: 600, at_end: 'fast_model' });
    const runOf = async (answer: { headers: Headers }) =>
      (await here.api('GET', `/api/v1/runs/${answer.headers.get('x-run-id')}`)).json;
    const whole = await ask(here, student);
    const cheap = await ask(here, student);
    expect([whole.status, cheap.status]).toEqual([200, 200]);
    expect(await runOf(whole)).toMatchObject({ model: 'gpt-4o-mini' });
    const run = await runOf(cheap);
    expect(run).toMatchObject({ model: 'gpt-fast', status: 'completed' });
    expect(JSON.stringify(run.events)).toContain('limit.fast_model');
    expect(await counters()).toMatchObject([{ used: 500, reserved: 0 }]);
    await settings({ providers: { openai: null } });
    expect((await ask(here, student)).json.error).toMatchObject({ code: 'quota_exceeded' });
  });

  it('refuse members and let those who may edit go on', async () => {
    await rules({ ...token, for: { kind: 'assistant' }, amount: 600, at_end: 'teachers_only' });
    expect((await ask(here, student)).status).toBe(200);
    expect((await ask(here, student)).status).toBe(429);
    expect((await ask(here)).status).toBe(200);
  });

  it('count places: the one that ends frees its place, in its own process at once', async () => {
    await rules({ id: 'one', for: { kind: 'person' }, limit: 'runs', amount: 1 });
    upstream.reset();
    upstream.expect({ content: 'word '.repeat(200), delayMs: 10 });
    const slow = streamed(
      here,
      '/v1/chat/completions',
      { model: `lamb_assistant.${id}`, messages: [user('Hi')] },
      { authorization: `Bearer ${student.key}` },
    );
    await until(() => upstream.active > 0);
    const refused = await ask(there, thereAs(student));
    expect(refused.json.error).toMatchObject({ code: 'rate_limited' });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await slow).status).toBe(200);
    upstream.always({ content: 'Yes.', usage: USAGE });
    for (let n = 0; n < 3; n += 1) {
      expect((await ask(here, student)).status).toBe(200);
      expect((await ask(here, student)).status).toBe(200);
      await until(async () => (await stored()).every(({ reserved }) => reserved === 0));
      expect((await ask(there, thereAs(student))).status).toBe(200);
      await until(async () => (await stored()).every(({ reserved }) => reserved === 0));
    }
    expect(await counters()).toMatchObject([{ used: 0, reserved: 0 }]);
  });

  it('end a stream that grows longer than what is left', async () => {
    await rules({ ...token, amount: 1_500 });
    upstream.reset();
    upstream.expect({ content: 'word '.repeat(3_000) });
    const answer = await streamed(
      here,
      '/v1/chat/completions',
      { model: `lamb_assistant.${id}`, messages: [user('Hi')] },
      { authorization: `Bearer ${student.key}` },
    );
    expect(answer.chunks.at(-1)).toMatchObject({ error: { code: 'quota_exceeded' } });
    const [{ used, reserved } = { used: 0, reserved: 1 }] = await counters();
    expect(reserved).toBe(0);
    expect(used).toBeGreaterThan(500);
    expect(used).toBeLessThanOrEqual(1_500 + 1_000);
  });

  it('cost what the price list says', async () => {
    const price = { provider: 'openai', model: 'gpt-4o-mini', from: '2020-01-01', input: 1_000, output: 2_000 };
    await settings({ prices: { currency: 'EUR', models: [price] } });
    await rules({ id: 'course', for: { kind: 'organization' }, limit: 'cost', amount: 1, per: 'month' });
    expect((await ask(here, student)).status).toBe(200);
    expect(await counters()).toMatchObject([{ subject: 'organization', used: 600_000, reserved: 0 }]);
    expect((await ask(here, student)).status).toBe(200);
    await settled();
    expect((await ask(there, thereAs(student))).json.error).toMatchObject({ code: 'quota_exceeded' });
    await settled();
    const { items } = (await here.api('GET', '/api/v1/organizations/default/audit')).json;
    const warnings = items.filter(({ target }: { target: { id: string } }) => target.id === 'course');
    expect(warnings.map(({ after }: { after: { percent: number } }) => after.percent)).toEqual([100, 50]);
    await settings({ prices: null });
  });

  it('count a group together', async () => {
    const group = (await here.api('POST', '/api/v1/organizations/default/groups', { name: 'Physics 1' })).json;
    const members = `/api/v1/organizations/default/groups/${group.id}/members`;
    const other = await person(here, { role: 'member' });
    const added = await here.api('POST', members, { members: [student.userId, other.userId] });
    expect(added.status).toBeLessThan(300);
    await rules({ id: 'course', for: { kind: 'group', id: group.id }, limit: 'tokens', amount: 550, per: 'month' });
    expect((await ask(here, student)).status).toBe(200);
    expect((await ask(here, other)).json.error).toMatchObject({ code: 'quota_exceeded' });
    expect((await ask(here)).status).toBe(200);
  });

  it('charge what a dead process held, and free its places', async () => {
    await rules({ ...token, amount: 5_000 }, { id: 'places', for: { kind: 'person' }, limit: 'runs', amount: 1 });
    upstream.reset();
    upstream.expect({ content: 'word '.repeat(20_000), delayMs: 20 });
    const gone = streamed(
      here,
      '/v1/chat/completions',
      { model: `lamb_assistant.${id}`, messages: [user('Hi')] },
      { authorization: `Bearer ${student.key}` },
    ).catch(() => undefined);
    await until(() => upstream.active > 0);
    // Its process renews nothing any more: the leases belong to nobody.
    const database = here.get(DataSource);
    await database.query(
      `UPDATE limit_reservations SET id = gen_random_uuid(), worker_id = gen_random_uuid(), expires_at = now()`,
    );
    await until(async () => (await stored()).every(({ reserved }) => reserved === 0));
    const [day, places] = await stored();
    expect(day?.used).toBeGreaterThan(1_000);
    expect(places).toMatchObject({ used: 0 });
    upstream.reset();
    await here.api(
      'POST',
      `/api/v1/runs/${(await here.api('GET', '/api/v1/runs?status=running')).json.items[0]?.id}/cancel`,
    );
    await gone;
  });
});
