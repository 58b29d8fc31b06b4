// Nobody overwrites what somebody else saved meanwhile (RFC 9110 §13.1.1): content and settings, as assistants have it.
import { type ApiAnswer, startApp, type TestApp } from '../support/app';
import { BrowserSession } from '../support/browser-session';
import { foreignOrganization, type Person, person } from '../support/people';

let app: TestApp;
let teacher: Person;
beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
});
afterAll(() => app.stop());

const level = (score: number) => ({ id: `l${score}`, score, label: 'L', description: '' });
const RUBRIC = {
  rubricId: 'versions-rubric',
  title: 'Begun',
  description: '',
  metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' },
  scoringType: 'points',
  maxScore: 10,
  criteria: [{ id: 'c1', name: 'C', description: 'D', weight: 1, levels: [level(1), level(2)] }],
};

type Api = TestApp['api'];
interface Kind {
  readonly name: string;
  /** Path of a new one. */
  readonly make: () => Promise<string>;
  readonly api: () => Api;
  readonly key: () => string;
  readonly changed: (text: string) => object;
  readonly textOf: (thing: any) => string;
}
const madeAt = async (list: string, body: object): Promise<string> => {
  const answer = await teacher.api('POST', list, body);
  expect([answer.status, answer.json.version, answer.headers.get('etag')]).toEqual([201, 1, '"1"']);
  return `${list}/${answer.json.id}`;
};
const mine = { api: (): Api => teacher.api, key: () => teacher.key };
const KINDS: Kind[] = [
  {
    name: 'a prompt template',
    ...mine,
    make: () => madeAt('/api/v1/prompt-templates', { name: 'Begun' }),
    changed: (name) => ({ name }),
    textOf: ({ name }) => name,
  },
  {
    name: 'a rubric',
    ...mine,
    make: () => madeAt('/api/v1/rubrics', RUBRIC),
    changed: (title) => ({ title }),
    textOf: ({ title }) => title,
  },
  {
    name: 'a knowledge base',
    ...mine,
    make: () => madeAt('/api/v1/knowledge-bases', { name: 'Begun' }),
    changed: (description) => ({ description }),
    textOf: ({ description }) => description,
  },
  {
    name: 'an organization',
    api: () => app.api,
    key: () => app.adminKey,
    make: async () => `/api/v1/organizations/${await foreignOrganization(app)}`,
    changed: (name) => ({ name }),
    textOf: ({ name }) => name,
  },
];

const outcome = ({ status, json, headers }: ApiAnswer) =>
  status < 300 ? [status, json.version, headers.get('etag')] : [status, json.code];

describe.each(KINDS)('$name', ({ make, api, key, changed, textOf }) => {
  const patch = (path: string, text: string, ifMatch?: string): Promise<ApiAnswer> =>
    api()('PATCH', path, changed(text), ifMatch === undefined ? {} : { 'if-match': ifMatch });

  it('answers whole whoever names the version they know: not all that is told of it counts versions', async () => {
    const answer = await api()('GET', await make(), undefined, { 'if-none-match': '"1"' });
    expect(outcome(answer)).toEqual([200, 1, '"1"']);
  });

  it('is changed in the version that was read, and in no other', async () => {
    const path = await make();
    expect(outcome(await api()('GET', path))).toEqual([200, 1, '"1"']);
    expect(outcome(await patch(path, 'first', '"1"'))).toEqual([200, 2, '"2"']);
    expect(outcome(await patch(path, 'late', '"1"'))).toEqual([412, 'precondition_failed']);
    expect(outcome(await patch(path, 'odd', '"soon"'))).toEqual([412, 'precondition_failed']);
    const { json, headers } = await api()('GET', path);
    expect([textOf(json), headers.get('etag'), headers.get('cache-control')]).toEqual(['first', '"2"', 'no-store']);
    expect(outcome(await patch(path, 'any', '*'))).toEqual([200, 3, '"3"']);
    expect(outcome(await patch(path, 'unsaid'))).toEqual([200, 4, '"4"']);
  });

  it('has no new version when it is saved as it is, and still minds the old one', async () => {
    const path = await make();
    await patch(path, 'same', '"1"');
    expect(outcome(await patch(path, 'same', '"2"'))).toEqual([200, 2, '"2"']);
    expect((await patch(path, 'same', '"1"')).status).toBe(412);
  });

  it('takes every change of several at once that name no version, one after another', async () => {
    const path = await make();
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => patch(path, `unsaid-${n}`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await api()('GET', path)).json.version).toBe(7);
  });

  it('is not changed by a page that does not say which version it shows', async () => {
    const path = await make();
    const session = new BrowserSession(app);
    await session.signIn(key());
    expect(await session.send('PATCH', path, changed('unsaid'))).toMatchObject({
      status: 428,
      json: { code: 'precondition_required' },
    });
    const headers = { 'sec-fetch-site': 'same-origin', 'if-match': '"1"' };
    expect(await session.send('PATCH', path, changed('said'), headers)).toMatchObject({
      status: 200,
      json: { version: 2 },
    });
  });
});

describe.each(KINDS.filter(({ name }) => name !== 'an organization'))('$name', ({ make, api, changed }) => {
  it('is deleted in the version that was read', async () => {
    const path = await make();
    await api()('PATCH', path, changed('newer'));
    const remove = (ifMatch: string) => api()('DELETE', path, undefined, { 'if-match': ifMatch });
    expect((await remove('"1"')).status).toBe(412);
    expect((await api()('GET', path)).status).toBe(200);
    expect((await remove('"2"')).status).toBe(204);
    expect((await remove('"2"')).status).toBe(404);
    const other = await make();
    expect((await api()('DELETE', other)).status).toBe(204);
  });
});

describe('versions', () => {
  it('count what a template or a rubric shows, sharing included, once', async () => {
    const template = await madeAt('/api/v1/prompt-templates', { name: 'Shared' });
    const share = () => teacher.api('PUT', `${template}/share`, { shared: true });
    expect(outcome(await share())).toEqual([200, 2, '"2"']);
    expect(outcome(await share())).toEqual([200, 2, '"2"']);
    const rubric = await madeAt('/api/v1/rubrics', RUBRIC);
    const show = () => teacher.api('PUT', `${rubric}/visibility`, { visibility: 'organization' });
    expect(outcome(await show())).toEqual([200, 2, '"2"']);
    expect(outcome(await show())).toEqual([200, 2, '"2"']);
  });

  it('of a rubric are minded when it is replaced, too', async () => {
    const path = await madeAt('/api/v1/rubrics', RUBRIC);
    const put = (title: string, ifMatch: string) =>
      teacher.api('PUT', path, { ...RUBRIC, title }, { 'if-match': ifMatch });
    expect((await put('first', '"1"')).json.version).toBe(2);
    expect((await put('late', '"1"')).status).toBe(412);
  });

  it("of a document's own say nothing about the service's, and stay in it", async () => {
    const path = await madeAt('/api/v1/rubrics', { ...RUBRIC, version: 'draft 7' });
    expect(outcome(await teacher.api('PATCH', path, { title: 'Newer' }))).toEqual([200, 2, '"2"']);
    expect((await teacher.api('GET', `${path}/export`)).json).toMatchObject({ version: 'draft 7', title: 'Newer' });
  });

  it('of a knowledge base count neither shares nor documents nor the language that a document decides', async () => {
    const path = await madeAt('/api/v1/knowledge-bases', { name: 'Filled' });
    const colleague = await person(app);
    await teacher.api('PUT', `${path}/shares`, { users: [colleague.email] });
    const form = new FormData();
    form.append('files', new Blob(['The cell is the smallest unit of life, and it has a membrane.']), 'cell.md');
    const sent = await fetch(`${app.url}${path}/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${teacher.key}` },
      body: form,
    });
    expect(sent.status).toBeLessThan(300);
    const { json } = await teacher.api('GET', path);
    expect(json).toMatchObject({ document_count: 1, version: 1 });
  });

  it('of an organization count a suspension, and no members', async () => {
    const slug = await foreignOrganization(app);
    const path = `/api/v1/organizations/${slug}`;
    await person(app, { organization: slug });
    expect((await app.api('GET', path)).json.version).toBe(1);
    expect((await app.api('PUT', `${path}/suspension`)).json.version).toBe(2);
    expect((await app.api('PUT', `${path}/suspension`)).json.version).toBe(2);
    expect((await app.api('DELETE', `${path}/suspension`)).json.version).toBe(3);
  });

  it('of the secrets that are entered count, though nobody sees them', async () => {
    const path = `/api/v1/organizations/${await foreignOrganization(app)}`;
    const provider = (api_key: string) => app.api('PATCH', path, { providers: { openai: { api_key } } });
    expect((await provider('first')).json.version).toBe(2);
    expect((await provider('second')).json.version).toBe(3);
  });

  it('of starters never change', async () => {
    const { json } = await teacher.api('GET', '/api/v1/prompt-templates/starters');
    expect(json.items.map(({ version }: { version: number }) => version)).toEqual(json.items.map(() => 1));
  });
});
