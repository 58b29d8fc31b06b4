import supertest from 'supertest';
import { UsageBuffer } from '../../src/metering';
import { type ApiAnswer, startApp, type TestApp } from '../support/app';
import { makeAssistant, user } from '../support/chat';
import { foreignOrganization, person, type Person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const PATH = '/api/v1/organizations/default/usage/limits';
const USAGE = { prompt_tokens: 400, completion_tokens: 20, total_tokens: 420 };
const RULES = [
  { id: 'mine', for: { kind: 'person' }, limit: 'tokens', amount: 500, per: 'day' },
  { id: 'together', for: { kind: 'organization' }, limit: 'cost', amount: 2, per: 'month', at_end: 'fast_model' },
  { id: 'course', for: { kind: 'group' }, limit: 'requests', amount: 10, per: 'day', at_end: 'teachers_only' },
];

let app: TestApp;
let upstream: Upstream;
let admin: Person;
let student: Person;
let other: Person;
let group: string;

const setting = async (body: object): Promise<void> => {
  expect((await app.api('PATCH', '/api/v1/organizations/default', body)).status).toBe(200);
};
const subjects = ({ json }: ApiAnswer): unknown[] =>
  json.items.map(({ rule, subject }: any) => [rule.id, subject.kind, subject.name]);
const limitsOf = async (who: Person): Promise<any[]> => (await who.api('GET', '/api/v1/me/limits')).json.items;

beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-standings' } });
  const id = await makeAssistant(app);
  await app.api('PUT', `/api/v1/assistants/${id}/publication`);
  admin = await person(app, { role: 'admin', scopes: ['chat', 'read', 'admin'] });
  student = await person(app, { role: 'member' });
  other = await person(app, { role: 'member' });
  const made = await app.api('POST', '/api/v1/organizations/default/groups', { name: 'Physics 1' });
  group = made.json.id;
  const members = { members: [student.email] };
  expect((await app.api('POST', `/api/v1/organizations/default/groups/${group}/members`, members)).status).toBe(200);
  const price = { provider: 'openai', model: 'gpt-4o-mini', from: '2020-01-01', input: 1_000, output: 10_000 };
  await setting({ limits: { rules: RULES }, prices: { currency: 'EUR', models: [price] } });
  upstream.expect({ content: 'Yes.', usage: USAGE });
  const asked = await student.api('POST', '/v1/chat/completions', {
    model: `lamb_assistant.${id}`,
    messages: [user('Hi')],
    max_tokens: 20,
  });
  expect([asked.status, asked.json.error]).toEqual([200, undefined]);
  await app.get(UsageBuffer).flush();
  await until(async () => (await limitsOf(student)).some(({ used }) => used === 420));
}, 120_000);
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

describe('the limits of an organization', () => {
  it('show what is used, nearest to their end first', async () => {
    const answer = await admin.api('GET', PATH);
    expect(answer.status).toBe(200);
    expect(subjects(answer)).toEqual([
      ['mine', 'person', expect.stringMatching(/^Person/)],
      ['together', 'organization', null],
      ['course', 'group', 'Physics 1'],
    ]);
    const [mine, together] = answer.json.items;
    expect(mine).toMatchObject({
      rule: { id: 'mine', limit: 'tokens', per: 'day', at_end: 'stop' },
      subject: { id: student.userId, pseudonym: null },
      amount: 500,
      used: 420,
      reserved: 0,
      remaining: 80,
      percent: 84,
    });
    expect(mine.warnings).toEqual([{ percent: 80, at: expect.any(String) }]);
    expect(Date.parse(mine.to) - Date.parse(mine.from)).toBe(86_400_000);
    // 400 × 1,000 + 20 × 10,000 millionths.
    expect(together).toMatchObject({ amount: 2, used: 0.6, remaining: 1.4, percent: 30 });
  });

  it('come page by page', async () => {
    const first = await admin.api('GET', `${PATH}?limit=2`);
    expect([first.json.items.length, first.json.total]).toEqual([2, 3]);
    const second = await admin.api('GET', `${PATH}?limit=2&cursor=${first.json.next_cursor}`);
    expect([subjects(second), second.json.next_cursor]).toEqual([[['course', 'group', 'Physics 1']], null]);
  });

  it('hide names where the organization says so', async () => {
    await setting({ privacy: { usage_people: 'pseudonymous' } });
    const { json, text } = await admin.api('GET', PATH);
    expect(json.items[0].subject).toEqual({
      kind: 'person',
      id: null,
      name: null,
      pseudonym: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(text).not.toContain(student.userId);
    await setting({ privacy: null });
  });

  it('show the amount of the rule as it is now', async () => {
    const [mine, ...rest] = RULES;
    await setting({ limits: { rules: [{ ...mine, amount: 1_000 }, ...rest] } });
    const { json } = await admin.api('GET', PATH);
    const raised = json.items.find(({ rule }: any) => rule.id === 'mine');
    expect([raised.amount, raised.remaining, raised.percent]).toEqual([1_000, 580, 42]);
    await setting({ limits: { rules: RULES } });
  });

  it('are for its administrators', async () => {
    expect((await supertest(app.url).get(PATH)).status).toBe(401);
    for (const role of ['member', 'teacher'] as const) {
      const someone = await person(app, { role });
      expect((await someone.api('GET', PATH)).json.code).toBe('forbidden');
    }
    const slug = await foreignOrganization(app);
    const foreign = await person(app, { organization: slug, role: 'owner', scopes: ['read', 'admin'] });
    expect((await foreign.api('GET', PATH)).json.code).toBe('not_found');
    expect((await foreign.api('GET', PATH.replace('default', slug))).json.items).toEqual([]);
  });
});

describe('my limits', () => {
  it('are those of me and my groups, with what I have left', async () => {
    const mine = await limitsOf(student);
    expect(mine.map(({ rule, used, remaining }: any) => [rule.id, used, remaining])).toEqual([
      ['mine', 420, 80],
      ['course', 1, 9],
    ]);
    expect(mine[0].subject.id).toBe(student.userId);
  });

  it('are whole where nothing is used, and hold nothing of others', async () => {
    const mine = await limitsOf(other);
    expect(mine.map(({ rule, used, remaining, percent }: any) => [rule.id, used, remaining, percent])).toEqual([
      ['mine', 0, 500, 0],
    ]);
    expect(JSON.stringify(mine)).not.toContain(student.userId);
  });

  it('need a credential', async () => expect((await supertest(app.url).get('/api/v1/me/limits')).status).toBe(401));
});
