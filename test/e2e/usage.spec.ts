import { parse } from 'csv-parse/sync';
import supertest from 'supertest';
import { type ApiAnswer, startApp, type TestApp } from '../support/app';
import { foreignOrganization, keyOf, person, type Person } from '../support/people';
import { testDatabaseUrl } from '../support/database';
import { type UsageDay, storeUsage as storeAt } from '../support/usage-days';

const USAGE = '/api/v1/organizations/default/usage';
const NOVEMBER = 'from=2026-11-01&to=2026-11-05';
const FORMULA = '=HYPERLINK("https://example.com","x")';

let app: TestApp;
let organization: string;
let admin: Person;
let teacher: Person;
let colleague: Person;
let student: Person;
let own: number;
let others: number;
let keyId: string;

const assistantOf = async (owner: Person, name: string): Promise<number> => {
  const made = await owner.api('POST', '/api/v1/assistants', { name, prompt_template: '{user_input}', metadata: {} });
  if (made.status !== 201) throw new Error(made.text);
  return made.json.id as number;
};
const idOf = async (slug: string): Promise<string> => (await app.api('GET', `/api/v1/organizations/${slug}`)).json.id;
const setting = async (body: object): Promise<void> => {
  const answer = await app.api('PATCH', '/api/v1/organizations/default', body);
  expect(answer.status).toBe(200);
};

beforeAll(async () => {
  app = await startApp();
  organization = await idOf('default');
  const scopes = ['chat', 'read', 'write', 'admin'];
  admin = await person(app, { role: 'admin', scopes });
  teacher = await person(app);
  colleague = await person(app);
  student = await person(app, { role: 'member' });
  own = await assistantOf(teacher, 'Mechanics');
  others = await assistantOf(colleague, FORMULA);
  const made = await app.api('POST', '/api/v1/api-keys', { name: '@moodle', owner: teacher.email, scopes: ['chat'] });
  keyId = made.json.id;
  await storeUsage([
    {
      organization,
      day: '2026-11-01',
      assistant: own,
      user: student.userId,
      runs: 3,
      prompt: 300,
      completion: 30,
      cost: 3_000_001,
    },
    {
      organization,
      day: '2026-11-03',
      assistant: own,
      user: teacher.userId,
      key: keyId,
      runs: 2,
      failed: 1,
      prompt: 20,
      completion: 2,
      cost: 200,
    },
    {
      organization,
      day: '2026-11-03',
      assistant: others,
      user: student.userId,
      model: 'mini',
      prompt: 5,
      completion: 5,
      cost: 0,
    },
    {
      organization,
      day: '2026-11-05',
      assistant: 4_711,
      assistantName: 'Gone',
      user: null,
      provider: '',
      model: '',
      failed: 1,
    },
    { organization, day: '2026-11-06', assistant: own, user: student.userId, prompt: 1_000_000, cost: 1 },
  ]);
}, 120_000);
afterAll(() => app.stop());

const read = (query = '', who: Person = admin): Promise<ApiAnswer> => who.api('GET', `${USAGE}?${NOVEMBER}&${query}`);
const storeUsage = (days: readonly UsageDay[]): Promise<void> => storeAt(testDatabaseUrl(), days);
const linesOf = ({ text }: ApiAnswer): string[][] => parse(text);
const codes = ({ status, json }: ApiAnswer): unknown[] => [status, json?.code];

describe('usage of an organization', () => {
  it('by day has every day of the period, in UTC, and the totals of all', async () => {
    const { status, json } = await read();
    expect(status).toBe(200);
    expect(json).toMatchObject({ from: '2026-11-01', to: '2026-11-05', time_zone: 'UTC', by: 'day', total: 5 });
    const days = json.items.map(({ day, runs, prompt_tokens, cost_micros }: any) => [
      day,
      runs,
      prompt_tokens,
      cost_micros,
    ]);
    expect(days).toEqual([
      ['2026-11-01', 3, 300, 3_000_001],
      ['2026-11-02', 0, 0, 0],
      ['2026-11-03', 3, 25, 200],
      ['2026-11-04', 0, 0, 0],
      ['2026-11-05', 1, 0, 0],
    ]);
    expect(json.totals).toEqual({
      runs: 7,
      failed: 2,
      model_calls: 7,
      estimated_calls: 0,
      prompt_tokens: 325,
      completion_tokens: 37,
      cached_tokens: 0,
      cost_micros: 3_000_201,
    });
  });

  it('names assistants, the deleted ones too, and sorts them by cost', async () => {
    const { json } = await read('by=assistant');
    expect(json.items.map(({ assistant, runs }: any) => [assistant, runs])).toEqual([
      [{ id: own, name: 'Mechanics' }, 5],
      [{ id: others, name: FORMULA }, 1],
      [{ id: 4_711, name: 'Gone' }, 1],
    ]);
  });

  it('names models, people and keys', async () => {
    const models = (await read('by=model')).json.items;
    expect(models.map(({ model }: any) => model)).toEqual([
      { provider: 'openai', model: 'gpt-4o' },
      { provider: 'openai', model: 'mini' },
      { provider: '', model: '' },
    ]);
    const people = (await read('by=person')).json.items;
    expect(people.map(({ person: { user_id, email }, runs }: any) => [user_id, email, runs])).toEqual([
      [student.userId, student.email, 4],
      [teacher.userId, teacher.email, 2],
      [null, null, 1],
    ]);
    const keys = (await read('by=key')).json.items;
    expect(keys.map(({ key, runs }: any) => [key, runs])).toEqual([
      [{ id: null, name: null, pseudonym: null }, 5],
      [{ id: keyId, name: '@moodle', pseudonym: null }, 2],
    ]);
  });

  it('splits days into models and assistants', async () => {
    const { json } = await read('split=model');
    expect(json.items[1].parts).toEqual([]);
    expect(
      json.items[2].parts.map(({ model, runs, prompt_tokens }: any) => [model.model, runs, prompt_tokens]),
    ).toEqual([
      ['gpt-4o', 2, 20],
      ['mini', 1, 5],
    ]);
    const { parts } = (await read('split=assistant')).json.items[2];
    expect(parts.map(({ assistant }: any) => assistant.name)).toEqual(['Mechanics', FORMULA]);
  });

  it('is narrowed to one assistant or one model', async () => {
    expect((await read(`assistant=${others}`)).json.totals).toMatchObject({ runs: 1, prompt_tokens: 5 });
    expect((await read('model=gpt-4o')).json.totals).toMatchObject({ runs: 5, prompt_tokens: 320 });
    expect((await read('assistant=999999')).json.totals.runs).toBe(0);
  });

  it.each(['day', 'assistant'])('by %s is read page by page', async (by) => {
    const whole = (await read(`by=${by}&limit=100`)).json.items;
    const pages: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { json }: ApiAnswer = await read(`by=${by}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(json.items.length).toBeLessThanOrEqual(2);
      expect(json.total).toBe(whole.length);
      pages.push(...json.items);
      cursor = json.next_cursor;
    }
    expect(pages).toEqual(whole);
  });

  it('shows callers of other organizations as one, whoever they are here', async () => {
    const slug = await foreignOrganization(app);
    const caller = await idOf(slug);
    const payer = await foreignOrganization(app);
    const day = '2026-11-02';
    const foreign = { organization: await idOf(payer), day, callerOrganization: caller };
    await storeUsage([
      { ...foreign, user: student.userId },
      { ...foreign, user: teacher.userId },
    ]);
    const { json } = await app.api('GET', `/api/v1/organizations/${payer}/usage?by=person&${NOVEMBER}`);
    expect(json.items).toHaveLength(1);
    expect(json.items[0]).toMatchObject({
      runs: 2,
      person: { user_id: null, organization: { id: caller, name: slug } },
    });
    expect(JSON.stringify(json)).not.toContain(student.email);
  });
});

describe('people in usage', () => {
  const identities = () => [student, teacher].flatMap(({ userId, email }) => [userId, email]);

  it('have stable pseudonyms where asked, without any name, address or id', async () => {
    const [first, again] = [await read('by=person&pseudonymous=true'), await read('by=person&pseudonymous=true')];
    expect(first.json.pseudonymous).toBe(true);
    const [one, other] = first.json.items.map(({ person: { pseudonym } }: any) => pseudonym);
    expect(one).toMatch(/^[0-9a-f]{12}$/);
    expect(other).not.toBe(one);
    expect(again.json.items).toEqual(first.json.items);
    for (const identity of identities()) expect(first.text).not.toContain(identity);
    const keys = await read('by=key&pseudonymous=true');
    expect(keys.text).not.toMatch(`${keyId}|@moodle`);
  });

  it('differ between organizations', async () => {
    const slug = await foreignOrganization(app);
    await storeUsage([{ organization: await idOf(slug), day: '2026-11-02', user: student.userId }]);
    const path = `/api/v1/organizations/${slug}/usage?by=person&pseudonymous=true&${NOVEMBER}`;
    const there = (await app.api('GET', path)).json.items[0].person.pseudonym;
    const here = (await read('by=person&pseudonymous=true')).json.items[0].person.pseudonym;
    expect(there).toMatch(/^[0-9a-f]{12}$/);
    expect(there).not.toBe(here);
  });

  it('stay pseudonymous where the organization says so, whatever is asked', async () => {
    await setting({ privacy: { usage_people: 'pseudonymous' } });
    for (const query of ['by=person', 'by=person&pseudonymous=false', 'by=person&format=csv']) {
      const { status, text } = await read(query);
      expect(status).toBe(200);
      for (const identity of identities()) expect(text).not.toContain(identity);
    }
    await setting({ privacy: { usage_people: 'named' } });
  });
});

describe('usage as CSV', () => {
  it.each(['by=assistant&format=csv', 'by=assistant'])('comes by %s', async (query) => {
    const answer = await admin.api('GET', `${USAGE}?${NOVEMBER}&${query}`, undefined, { accept: 'text/csv' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toContain(
      'filename="usage-default-by-assistant-2026-11-01-2026-11-05.csv"',
    );
    expect(answer.text.split('\r\n')[0]).toBe(
      'assistant_id,assistant,runs,failed,model_calls,estimated_calls,prompt_tokens,completion_tokens,cached_tokens,cost,currency',
    );
    const rows: Record<string, string>[] = parse(answer.text, { columns: true });
    expect(rows[0]).toMatchObject({ assistant: 'Mechanics', runs: '5', cost: '3.000201', currency: '' });
  });

  it('has no cell that a spreadsheet would run', async () => {
    const assistants = linesOf(await read('by=assistant&format=csv'));
    expect(assistants[2]?.[1]).toBe(`'${FORMULA}`);
    const keys = linesOf(await read('by=key&format=csv'));
    expect(keys[2]?.[1]).toBe("'@moodle");
    for (const cell of [...assistants, ...keys].flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  });

  it('holds every row, whatever the limit, and a line for each part of a day', async () => {
    const days = linesOf(await read('limit=1&format=csv'));
    expect(days.map(([day]) => day)).toEqual(['day', ...[1, 2, 3, 4, 5].map((day) => `2026-11-0${day}`)]);
    const parts: Record<string, string>[] = parse((await read('split=model&format=csv')).text, { columns: true });
    expect(parts.map(({ day, model }) => [day, model])).toEqual([
      ['2026-11-01', 'gpt-4o'],
      ['2026-11-02', ''],
      ['2026-11-03', 'gpt-4o'],
      ['2026-11-03', 'mini'],
      ['2026-11-04', ''],
      ['2026-11-05', ''],
    ]);
  });

  it('answers JSON to clients that take anything', async () => {
    const answer = await admin.api('GET', USAGE, undefined, { accept: '*/*' });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('vary')).toContain('Accept');
  });
});

describe('prices in usage', () => {
  it('are in the currency of the organization, and models without a price are named', async () => {
    expect((await read()).json).toMatchObject({
      currency: null,
      unpriced_models: [
        { provider: 'openai', model: 'gpt-4o' },
        { provider: 'openai', model: 'mini' },
      ],
    });
    const price = { provider: 'openai', input: 1, output: 2 };
    await setting({
      prices: {
        currency: 'EUR',
        models: [
          { ...price, model: 'gpt-4o', from: '2026-11-01' },
          { ...price, model: 'mini', from: '2026-11-04' },
        ],
      },
    });
    const { json } = await read();
    // The price of `mini` came after its first use.
    expect([json.currency, json.unpriced_models]).toEqual(['EUR', [{ provider: 'openai', model: 'mini' }]]);
    await setting({ prices: null });
  });
});

describe('who sees usage', () => {
  it('nobody without a credential', async () => {
    expect((await supertest(app.url).get(USAGE)).status).toBe(401);
  });

  it('members and keys for chat do not', async () => {
    expect(codes(await read('', student))).toEqual([403, 'forbidden']);
    const chat = await keyOf(app, admin.email, { scopes: ['chat'] });
    expect((await chat.api('GET', USAGE)).status).toBe(403);
  });

  it('administrators of another organization cannot tell it from a missing one', async () => {
    const slug = await foreignOrganization(app);
    const foreign = await person(app, { organization: slug, role: 'owner', scopes: ['read', 'admin'] });
    const plain = ({ json }: ApiAnswer): object => ({ ...json, request_id: '' });
    const [there, missing] = [
      await foreign.api('GET', USAGE),
      await foreign.api('GET', '/api/v1/organizations/missing/usage'),
    ];
    expect(there.status).toBe(404);
    expect(plain(there)).toEqual(plain(missing));
    expect((await foreign.api('GET', `/api/v1/organizations/${slug}/usage`)).status).toBe(200);
  });

  it('system administrators see every organization', async () => {
    const slug = await foreignOrganization(app);
    expect((await app.api('GET', `/api/v1/organizations/${slug}/usage`)).status).toBe(200);
  });

  it('teachers see assistants that they may edit, and no names', async () => {
    expect(codes(await read('', teacher))).toEqual([403, 'forbidden']);
    const { status, json, text } = await read(`assistant=${own}&by=person`, teacher);
    expect([status, json.pseudonymous, json.totals.runs]).toEqual([200, true, 5]);
    expect(text).not.toContain(student.email);
    expect(codes(await read(`assistant=${others}`, teacher))).toEqual([404, 'not_found']);
    expect(codes(await read('assistant=999999', teacher))).toEqual([404, 'not_found']);

    const share = (access: string) =>
      colleague.api('PUT', `/api/v1/assistants/${others}/shares`, { shares: [{ email: teacher.email, access }] });
    await share('use');
    expect(codes(await read(`assistant=${others}`, teacher))).toEqual([403, 'forbidden']);
    await share('edit');
    expect((await read(`assistant=${others}`, teacher)).status).toBe(200);
  });

  it('a key without the scope admin is treated like a teacher', async () => {
    const reading = await keyOf(app, admin.email, { scopes: ['read'] });
    expect((await reading.api('GET', `${USAGE}?by=person`)).status).toBe(403);
  });

  it('a key for one assistant sees that one only', async () => {
    const bound = await keyOf(app, admin.email, { scopes: ['read', 'admin'], assistantIds: [own] });
    expect((await bound.api('GET', USAGE)).status).toBe(403);
    expect((await bound.api('GET', `${USAGE}?assistant=${own}`)).status).toBe(200);
    expect((await bound.api('GET', `${USAGE}?assistant=${others}`)).status).toBe(404);
  });
});

describe('a bad query', () => {
  it('names every problem', async () => {
    const query =
      'from=yesterday&to=2026-02-30&by=colour&split=person&assistant=x&pseudonymous=yes&format=xml&colour=red&limit=0';
    const { status, json } = await admin.api('GET', `${USAGE}?${query}`);
    expect(status).toBe(400);
    const paths = json.errors.map(({ path }: { path: string }) => path);
    for (const path of ['from', 'to', 'by', 'split', 'assistant', 'pseudonymous', 'format', 'colour', 'limit'])
      expect(paths).toContain(path);
  });

  it.each([
    ['from=2026-11-02&to=2026-11-01', 'from'],
    ['from=2025-01-01&to=2026-11-01', 'from'],
    ['cursor=nonsense', 'cursor'],
    ['by=model&cursor=nonsense', 'cursor'],
  ])('%s is refused', async (query, path) => {
    const { status, json } = await admin.api('GET', `${USAGE}?${query}`);
    expect([status, json.errors.map((problem: { path: string }) => problem.path)]).toEqual([400, [path]]);
  });
});
