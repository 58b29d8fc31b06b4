import { parse } from 'csv-parse/sync';
import { DataSource } from 'typeorm';
import { AuditChainWriter } from '../../src/infrastructure/audit';
import { type ApiAnswer, startApp, type TestApp } from '../support/app';

const LOG = '/api/v1/organizations/default/audit';

const RUBRIC = {
  rubricId: 'essay-rubric-0001',
  title: '=HYPERLINK("http://x")',
  description: 'For short essays',
  metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' },
  scoringType: 'points',
  maxScore: 10,
  criteria: [
    {
      id: 'c1',
      name: 'Thesis',
      description: 'Clarity',
      weight: 100,
      levels: [
        { id: 'l1', score: 1, label: 'Weak', description: 'Weak work' },
        { id: 'l2', score: 4, label: 'Strong', description: 'Strong work' },
      ],
    },
  ],
};

let app: TestApp;
let anaId: string;
let keyId: string;
let key: string;

const list = async (query: Record<string, string> = {}): Promise<any[]> => {
  const answer = await app.api('GET', `${LOG}?${new URLSearchParams({ limit: '100', ...query }).toString()}`);
  expect([query, answer.status]).toEqual([query, 200]);
  return answer.json.items;
};
const actions = async (query: Record<string, string>): Promise<string[]> =>
  (await list(query)).map(({ action }) => action);
const asAna = (method: string, path: string, body?: unknown): Promise<ApiAnswer> =>
  app.api(method, path, body, { authorization: `Bearer ${key}` });

beforeAll(async () => {
  app = await startApp();
  const member = { email: 'ana@example.edu', name: 'Ana Ruiz', role: 'teacher' };
  anaId = (await app.api('POST', '/api/v1/organizations/default/members', member)).json.user_id;
  const made = await app.api('POST', '/api/v1/api-keys', { name: 'Script', owner: anaId, scopes: ['read', 'write'] });
  ({ id: keyId, key } = made.json);
  const rubric = await asAna('POST', '/api/v1/rubrics', RUBRIC);
  expect([rubric.status, rubric.json.errors]).toEqual([201, undefined]);
});
afterAll(() => app.stop());

describe('the audit log of an organization', () => {
  it('says who did what, with which key, from where', async () => {
    const [entry] = await list({ action: 'rubric.create' });
    expect(entry).toMatchObject({
      actor: {
        kind: 'api_key',
        user_id: anaId,
        name: 'Ana Ruiz',
        email: 'ana@example.edu',
        credential_id: keyId,
        credential_name: 'Script',
      },
      target: { type: 'rubric', id: expect.any(String), name: '=HYPERLINK("http://x")' },
      before: null,
      after: expect.objectContaining({ title: '=HYPERLINK("http://x")' }),
      ip: expect.stringMatching(/127\.0\.0\.1|::1/),
      request_id: expect.any(String),
    });
  });

  it.each([
    ['an e-mail address', () => ({ actor: 'Ana@example.edu' }), ['rubric.create']],
    ['the id of a person', () => ({ actor: anaId }), ['rubric.create']],
    ['the id of a key', () => ({ actor: keyId }), ['rubric.create']],
    ['an unknown address', () => ({ actor: 'nobody@example.edu' }), []],
    ['an action', () => ({ action: 'member.add' }), ['member.add']],
    ['the beginning of actions', () => ({ action: 'rubric.*' }), ['rubric.create']],
    ['a wildcard of SQL, which is text', () => ({ action: 'rubric_*' }), []],
    ['a target', () => ({ target_type: 'member', target_id: anaId }), ['member.add']],
    ['a text in the values', () => ({ text: 'hyperlink(' }), ['rubric.create']],
    ['a text with a percent sign', () => ({ text: '%' }), []],
    ['times to come', () => ({ from: '2999-01-01' }), []],
    ['times long past', () => ({ to: '2000-01-01T00:00:00Z' }), []],
    ['another address', () => ({ ip: '192.0.2.1' }), []],
  ])('is filtered by %s', async (_, query, expected) => {
    await expect(actions(query())).resolves.toEqual(expected);
  });

  it('is filtered by the service itself and by a request', async () => {
    expect((await list({ actor: 'system' })).every(({ actor }) => actor.kind === 'system')).toBe(true);
    const [{ request_id }] = await list({ action: 'rubric.create' });
    await expect(actions({ request_id })).resolves.toEqual(['rubric.create']);
  });

  it('counts what fits, over its pages', async () => {
    const first = await app.api('GET', `${LOG}?limit=1&actor=system`);
    const second = await app.api('GET', `${LOG}?limit=1&actor=system&cursor=${first.json.next_cursor}`);
    expect(first.json.total).toBe((await list({ actor: 'system' })).length);
    expect(second.json.items[0].id).not.toBe(first.json.items[0].id);
  });

  it('refuses bad filters with every problem', async () => {
    const answer = await app.api('GET', `${LOG}?from=yesterday&actor=&who=ana`);
    expect(answer.status).toBe(400);
    expect(answer.json.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['actor', 'from', 'who']);
    expect((await app.api('GET', `${LOG}?from=2026-02-01&to=2026-01-01`)).status).toBe(400);
    expect((await app.api('GET', `${LOG}/export?format=xml`)).status).toBe(400);
  });

  it('is downloaded as a table that no spreadsheet runs, and the download is recorded', async () => {
    const answer = await app.api('GET', `${LOG}/export?action=rubric.*`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit-default.csv"');
    const rows = parse<Record<string, string>>(answer.text, { columns: true });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ action: 'rubric.create', actor_email: 'ana@example.edu', target_type: 'rubric' });
    const [entry] = await list({ action: 'audit.export' });
    expect(entry.after).toEqual({ format: 'csv', action: 'rubric.*' });
  });

  it('escapes cells that begin like a formula', async () => {
    await app.api('PATCH', `/api/v1/organizations/default/members/${anaId}`, { name: '=1+1' });
    const { text } = await app.api('GET', `${LOG}/export?action=rubric.*`);
    expect(parse<Record<string, string>>(text, { columns: true })[0]?.['actor_name']).toBe("'=1+1");
  });

  it('is downloaded as JSON lines, oldest first', async () => {
    const { text } = await app.api('GET', `${LOG}/export?format=jsonl`);
    const entries = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string });
    const ids = entries.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(5);
    expect(ids).toEqual([...ids].sort());
  });

  it('is verified, and a change is named', async () => {
    await app.get(AuditChainWriter).sealAll();
    const sound = await app.api('POST', `${LOG}/verification`);
    expect(sound.json).toMatchObject({ intact: true, findings: [], unsealed: 0 });
    const [entry] = await list({ action: 'rubric.create' });
    await app.get(DataSource).transaction(async (tx) => {
      await tx.query(`SELECT set_config('bellwether.audit_change', 'redact', true)`);
      await tx.query(`UPDATE audit_entries SET after = '{}' WHERE id = $1`, [entry.id]);
    });
    const broken = await app.api('POST', `${LOG}/verification`);
    expect(broken.json).toMatchObject({
      intact: false,
      findings: [{ kind: 'changed', sequence: entry.sequence, entry_id: entry.id }],
    });
    const state = await app.api('GET', `${LOG}/chain`);
    expect(state.json).toMatchObject({ unsealed: 0, checked: { intact: false, at: expect.any(String) } });
  });

  it.each([
    ['GET', ''],
    ['GET', '/export'],
    ['GET', '/chain'],
    ['POST', '/verification'],
  ])('is for administrators: %s %s', async (method, path) => {
    expect((await asAna(method, `${LOG}${path}`)).status).toBe(403);
    expect((await app.api(method, `/api/v1/organizations/elsewhere/audit${path}`)).status).toBe(404);
  });
});
