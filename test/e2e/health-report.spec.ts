import { DataSource } from 'typeorm';
import supertest from 'supertest';
import { acrossOrganizations } from '../../src/infrastructure/database';
import { REPORT_KEPT_MS } from '../../src/health/report-kept.token';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, user } from '../support/chat';
import { keyOf, person } from '../support/people';
import { until } from '../support/until';
import { startUpstream, type Upstream } from '../support/upstream';

const PATH = '/api/v1/admin/health';

interface Found {
  readonly code: string;
  readonly state: string;
  readonly text: string;
  readonly next: string | null;
  readonly values: Record<string, unknown>;
  readonly organization: string | null;
}

let app: TestApp;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({
    env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-health', PUBLIC_URL: 'http://learn.example.edu' },
    overrides: [{ provide: REPORT_KEPT_MS, useValue: 0 }],
  });
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

const found = (body: { findings: readonly Found[] }, check: string): Found =>
  body.findings.find(({ code }) => code.startsWith(`${check}.`)) as Found;

describe('the health report', () => {
  it('is refused to everybody but system administrators with the scope admin', async () => {
    const scopes = ['read', 'write', 'chat', 'admin'];
    const administrator = await person(app, { role: 'admin', scopes });
    const teacher = await person(app);
    const { json: me } = await app.api('GET', '/api/v1/me');
    const reading = await keyOf(app, me.user.email, { scopes: ['read'] });
    for (const each of [administrator, teacher, reading]) expect((await each.api('GET', PATH)).status).toBe(403);
    await supertest(app.url).get(PATH).expect(401);
  });

  it('tells in words what is well and what is not, worst first', async () => {
    // The first measure of the queues may be late, and is told as unknown until then.
    const { json, text } = await until(async () => {
      const answer = await app.api('GET', PATH);
      expect(answer.status).toBe(200);
      return answer.json.findings.some(({ code }: Found) => code === 'queue.unknown') ? null : answer;
    });
    expect(found(json, 'database')).toMatchObject({
      code: 'database.ok',
      state: 'ok',
      next: null,
      values: { version: expect.any(String), ms: expect.any(Number), megabytes: expect.any(Number) },
    });
    expect(found(json, 'address')).toMatchObject({
      code: 'address.plain',
      state: 'warning',
      next: expect.stringContaining('PUBLIC_URL'),
      organization: null,
    });
    for (const code of ['clock.ok', 'queue.ok', 'secrets.ok', 'versions.ok'])
      expect(json.findings).toContainEqual(expect.objectContaining({ code }));
    const order = ['error', 'warning', 'notice', 'ok'];
    const states = json.findings.map(({ state }: Found) => order.indexOf(state));
    expect(states).toEqual(states.toSorted((one: number, other: number) => one - other));
    expect(json.state).toBe(json.findings[0].state);
    expect(json.findings.filter(({ code }: Found) => code === 'check.failed')).toEqual([]);
    expect(text).not.toMatch(/\{\w+\}|canary/);
  });

  it('names the vendor whose last call was refused, with its organization', async () => {
    upstream.expect({ status: 401, raw: JSON.stringify({ error: { message: 'private canary' } }) });
    const model = `lamb_assistant.${await makeAssistant(app)}`;
    await app.api('POST', '/v1/chat/completions', { model, messages: [user('Hi')] });
    const { json, text } = await until(async () => {
      const answer = await app.api('GET', PATH);
      return found(answer.json, 'connection')?.state === 'error' ? answer : null;
    });
    expect(found(json, 'connection')).toMatchObject({
      code: 'connection.key',
      values: { connection: 'providers.openai' },
      organization: 'default',
    });
    expect(text).not.toContain('canary');
  });

  it('names a queue whose oldest job waits for an hour', async () => {
    await acrossOrganizations('jobs', () =>
      app.get(DataSource).query(
        `UPDATE installation_figures SET measured_at = now() + interval '1 minute',
           figures = jsonb_set(figures::jsonb, '{queues}', $1::jsonb)`,
        [JSON.stringify([{ queue: 'ingest', waiting: 1, delayed: 0, active: 0, failed: 0, oldest_seconds: 3_600 }])],
      ),
    );
    const stuck = await until(async () => {
      const one = found((await app.api('GET', PATH)).json, 'queue');
      return one.code === 'queue.stuck' ? one : null;
    });
    expect(stuck.text).toBe('Work in the background has waited for 60 min (queue ingest).');
  });
});
