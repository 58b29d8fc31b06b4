import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { CLAIM, launch, type LmsMessage, LtiPlatform, STUDENT, TEACHER } from '../support/lti-platform';
import { SsoBrowser } from '../support/sso-browser';

const CLASSIC = {
  prompt_processor: 'simple_augment',
  connector: 'bypass',
  llm: 'debug-bypass',
  rag_processor: 'no_rag',
};
const SELECT: LmsMessage = { type: 'LtiDeepLinkingRequest', person: TEACHER };

let app: TestApp;
let lms: LtiPlatform;
let [cells, bones, draft]: number[] = [];

async function assistant(name: string, publish = true): Promise<number> {
  const body = { name, prompt_template: '{user_input}', metadata: CLASSIC };
  const { json } = await app.api('POST', '/api/v1/assistants', body);
  if (publish) await app.api('PUT', `/api/v1/assistants/${json.id}/publication`);
  return json.id;
}

const asks = (browser: SsoBrowser, id: string, body?: unknown) =>
  browser.call(body === undefined ? 'GET' : 'POST', `/api/v1/lti/deep-linking/${id}`, body);

/** A browser that the platform sent to the picker, and the id of the request. */
async function picking(more: LmsMessage = {}): Promise<{ browser: SsoBrowser; id: string; path: string }> {
  const browser = new SsoBrowser(app);
  const { location, text } = await launch(browser, lms, { ...SELECT, ...more });
  if (location === null) throw new Error(text.slice(0, 600));
  return { browser, id: location.split('/').at(-1) ?? '', path: location };
}

beforeAll(async () => {
  app = await startApp();
  lms = await LtiPlatform.start();
  [cells, bones, draft] = [await assistant('Cells'), await assistant('Bones'), await assistant('Draft', false)];
  const platform = await app.api('POST', '/api/v1/organizations/default/lti/platforms', lms.registration);
  lms.tool = platform.json;
}, 60_000);
afterAll(async () => {
  await app.stop();
  await lms.down();
});

describe('the picker', () => {
  it('shows what the platform accepts and the published assistants, on a page of its own', async () => {
    const { browser, id, path } = await picking();
    const page = await browser.visit(path);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Add assistants to the course')]);
    expect((await asks(browser, id)).json).toEqual({
      id,
      course_title: 'Statistics I',
      platform: 'Test LMS',
      multiple: true,
      line_items: true,
      expires_at: expect.any(String),
      assistants: [
        { id: cells, name: 'Cells', description: '' },
        { id: bones, name: 'Bones', description: '' },
      ],
    });
  });

  it('puts links into the course that open their assistants, with a column of grades', async () => {
    const { browser, id } = await picking();
    const links = [
      { title: 'Cells', assistants: [cells], line_item: { maximum: 10 } },
      { title: 'Both', assistants: [cells, bones] },
    ];
    const { status, json } = await asks(browser, id, { links });
    expect(status).toBe(200);
    expect(json.return_url).toBe(`${lms.url}/deep-link-return`);
    await browser.submit(json.return_url, { JWT: json.jwt });
    expect(lms.selectionRefused).toBeNull();
    const [first, second] = lms.selections.at(-1)?.links ?? [];
    expect([...lms.grades.lineItems.values()]).toMatchObject([{ label: 'Cells', scoreMaximum: 10 }]);

    const student = new SsoBrowser(app);
    const opened = await launch(student, lms, { person: STUDENT, link: first });
    expect(opened.location).toMatch(new RegExp(`^/chat/${cells}\\?activity=`));
    await launch(student, lms, { person: STUDENT, link: second });
    expect((await student.me()).assistant_ids.sort()).toEqual([cells, bones].sort());
  });

  it('begins an activity with what teachers may read, which later launches do not change', async () => {
    const { browser, id } = await picking();
    const refused = await asks(browser, id, { links: [{ title: 'A', assistants: [cells], readable_as: 'all' }] });
    expect(refused.json.errors).toMatchObject([{ path: 'links[0].readable_as' }]);
    const links = [{ title: 'Cells', assistants: [cells], readable_as: 'pseudonymous' }];
    const { json } = await asks(browser, id, { links });
    await browser.submit(json.return_url, { JWT: json.jwt });
    const [link] = lms.selections.at(-1)?.links ?? [];
    const open = async () => {
      const student = new SsoBrowser(app);
      const { location } = await launch(student, lms, { person: STUDENT, link });
      const activity = new URL(location ?? '', app.url).searchParams.get('activity');
      return {
        activity,
        needed: (await student.call('GET', `/api/v1/lti/activities/${activity}`)).json.agreement.needed,
      };
    };
    const { activity, needed } = await open();
    expect(needed).toBe('pseudonymous');
    const teacher = new SsoBrowser(app);
    await launch(teacher, lms, { person: TEACHER, link });
    const off = { teachers_read: false };
    await teacher.call('PATCH', `/api/v1/lti/activities/${activity}`, off, { 'if-match': '*' });
    expect(await open()).toEqual({ activity, needed: null });
  });

  it('answers once, and to nobody but the person who opened it', async () => {
    const { browser, id } = await picking();
    const other = new SsoBrowser(app);
    await launch(other, lms, { ...SELECT, person: { ...TEACHER, sub: 'teacher-2', email: 'two@staff.example' } });
    const body = { links: [{ title: 'Cells', assistants: [cells] }] };
    expect((await asks(other, id)).status).toBe(404);
    expect((await asks(other, id, body)).status).toBe(404);
    expect((await app.api('GET', `/api/v1/lti/deep-linking/${id}`)).status).toBe(404);
    const both = await Promise.all([asks(browser, id, body), asks(browser, id, body)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await asks(browser, id)).status).toBe(404);
  });

  it('names every problem of a choice, and keeps waiting', async () => {
    const { browser, id } = await picking({ deepLinking: { accept_multiple: false, accept_lineitem: false } });
    const links = [
      { title: 'A', assistants: [draft, cells] },
      { title: 'B', assistants: [999_999], line_item: { maximum: 5 } },
    ];
    const { status, json } = await asks(browser, id, { links });
    expect(status).toBe(400);
    expect(json.errors.map(({ path }: { path: string }) => path)).toEqual([
      'links',
      'links[0].assistants[0]',
      'links[1].assistants[0]',
      'links[1].line_item',
    ]);
    const empty = await asks(browser, id, { links: [{ title: ' ', assistants: [] }] });
    expect(empty.status).toBe(400);
    expect((await asks(browser, id, { links: [{ title: 'A', assistants: [cells] }] })).status).toBe(200);
  });

  it('ends after an hour', async () => {
    const { browser, id } = await picking();
    await app
      .get(DataSource)
      .query(`UPDATE lti_selections SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    expect((await asks(browser, id)).json).toMatchObject({ code: 'link_expired' });
  });

  it.each([
    ['a student', { person: STUDENT }],
    ['a platform that takes no links to tools', { deepLinking: { accept_types: ['file'] } }],
    ['an address that is none', { deepLinking: { deep_link_return_url: 'javascript:alert(1)' } }],
    ['no settings', { changeClaims: (all: object) => ({ ...all, [CLAIM.deepLinkingSettings]: undefined }) }],
  ])('is refused to %s', async (_name, more) => {
    const browser = new SsoBrowser(app);
    const { location, text } = await launch(browser, lms, { ...SELECT, ...more });
    expect([location, text]).toEqual([null, expect.stringContaining('<code>selection</code>')]);
    expect(await browser.me()).toBe(401);
  });

  it('signs an answer that another platform refuses', async () => {
    const other = await LtiPlatform.start();
    other.clientId = 'other-client';
    other.tool = lms.tool;
    const { browser, id } = await picking();
    const { json } = await asks(browser, id, { links: [{ title: 'Cells', assistants: [cells] }] });
    await browser.submit(`${other.url}/deep-link-return`, { JWT: json.jwt });
    expect(other.selectionRefused).toContain('aud');
    await other.down();
  });
});
