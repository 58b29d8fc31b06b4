import { uuidv7 } from '@bellwether/kernel';
import { DataSource } from 'typeorm';
import { type ApiAnswer, startApp, type TestApp } from '../support/app';
import { COURSE, launch, LtiPlatform, ROLES, SCOPE, STUDENT, TEACHER } from '../support/lti-platform';
import { SsoBrowser, type Visit } from '../support/sso-browser';

const CLASSIC = {
  prompt_processor: 'simple_augment',
  connector: 'bypass',
  llm: 'debug-bypass',
  rag_processor: 'no_rag',
};

let app: TestApp;
let lms: LtiPlatform;
let assistant: string;
let teacher: SsoBrowser;
let student: SsoBrowser;
let course: string;
let activity: string;

const activityIn = ({ location, text }: Visit): string => {
  if (location === null) throw new Error(`No chat: ${text.slice(0, 600)}`);
  return new URL(location, app.url).searchParams.get('activity') ?? '';
};

const asks = (browser: SsoBrowser, method: string, path: string, body?: unknown) => browser.call(method, path, body);
const gives = (body: unknown, browser = teacher) =>
  asks(browser, 'POST', `/api/v1/lti/activities/${activity}/grades`, body);
const sendsAgain = (id: string) => asks(teacher, 'POST', `/api/v1/lti/activities/${activity}/grades/${id}/send`);
const members = (browser = teacher) => asks(browser, 'GET', `/api/v1/lti/courses/${course}/members`);

beforeAll(async () => {
  app = await startApp();
  lms = await LtiPlatform.start();
  const made = await app.api('POST', '/api/v1/assistants', {
    name: 'Statistics',
    prompt_template: '{user_input}',
    metadata: CLASSIC,
  });
  assistant = String(made.json.id);
  await app.api('PUT', `/api/v1/assistants/${assistant}/publication`);
  const platform = await app.api('POST', '/api/v1/organizations/default/lti/platforms', lms.registration);
  lms.tool = platform.json;
  [teacher, student] = [new SsoBrowser(app), new SsoBrowser(app)];
  const link = { id: 'link-1', title: 'Ask about statistics', custom: { assistant } };
  activity = activityIn(await launch(teacher, lms, { person: TEACHER, link }));
  await launch(student, lms, { person: STUDENT, link });
  const [row] = await app.get(DataSource).query('SELECT id FROM lti_courses');
  course = row.id;
}, 60_000);
afterAll(async () => {
  await app.stop();
  await lms.down();
});
afterEach(() => {
  lms.heal();
  lms.roster.nextPage = (address) => address;
  lms.grades.gradable = null;
});

/** Calls with a new key of the teacher, outside a launch. */
async function byKey(body: object): Promise<(method: string, path: string, body?: unknown) => Promise<ApiAnswer>> {
  const owner = (await teacher.me()).user.id;
  const { json } = await app.api('POST', '/api/v1/api-keys', { name: 'course key', owner, ...body });
  return (method, path, sent) => app.api(method, path, sent, { authorization: `Bearer ${json.key}` });
}

describe('the people of a course', () => {
  beforeEach(() => {
    const crowd = Array.from({ length: 998 }, (_, index) => ({ sub: `s-${index}`, roles: [ROLES.learner] }));
    lms.roster.members = [TEACHER, STUDENT, ...crowd, { sub: 'gone', roles: [ROLES.learner], status: 'Deleted' }];
  });

  it('are listed over all pages, with the members that are known here, and one access token', async () => {
    const before = lms.count(/^\/token$/);
    const { status, json } = await members();
    expect([status, json.total]).toEqual([200, 1_000]);
    expect(json.items[1]).toEqual({
      person: 'student-1',
      user_id: (await student.me()).user.id,
      name: 'Ane Etxeberria',
      email: 'ane@students.example',
      role: 'learner',
      active: true,
    });
    expect(json.items[2]).toMatchObject({ person: 's-0', user_id: null, name: null });
    await members();
    expect(lms.count(/^\/token$/) - before).toBeLessThanOrEqual(1);
  });

  it('have the names of their launches where the platform lists none', async () => {
    lms.roster.members = [{ sub: 'student-1', roles: [ROLES.learner] }];
    expect((await members()).json.items).toMatchObject([{ person: 'student-1', name: 'Ane Etxeberria' }]);
  });

  it('are told to nobody but instructors of this course', async () => {
    expect((await members(student)).status).toBe(404);
    expect((await app.api('GET', `/api/v1/lti/courses/${course}/members`)).status).toBe(404);
    expect((await app.api('GET', '/api/v1/lti/courses/1/members')).status).toBe(404);
  });

  it.each([
    ['some assistants', () => ({ assistant_ids: [Number(assistant)] })],
    ['published assistants', () => ({ published_only: true })],
  ])('and their grades are out of reach of a key of their teacher for %s', async (_name, bounds) => {
    const asksByKey = await byKey({ scopes: ['chat', 'read'], ...bounds() });
    const grades = `/api/v1/lti/activities/${activity}/grades`;
    const grade = { person: 'student-1', score: 1, maximum: 10 };
    for (const [method, path, body] of [
      ['GET', `/api/v1/lti/courses/${course}/members`, undefined],
      ['GET', grades, undefined],
      ['POST', grades, grade],
      ['POST', `${grades}/${uuidv7()}/send`, undefined],
    ] as const) {
      const { status, json } = await asksByKey(method, path, body);
      expect([method, path, status, json.reason]).toEqual([method, path, 403, 'key.restricted']);
    }
    expect(lms.grades.of('student-1')).toEqual([]);
  });

  it('are refused where the pages go in a circle, or to another server with the token', async () => {
    lms.roster.nextPage = (address) => address.replace(/from=\d+/, 'from=100');
    expect((await members()).json).toMatchObject({ code: 'upstream_bad_response' });
    const other = await LtiPlatform.start();
    lms.roster.nextPage = () => `${other.url}/courses/course-1/memberships`;
    expect((await members()).json).toMatchObject({ code: 'upstream_bad_response' });
    expect(other.asked).toEqual([]);
    await other.down();
  });

  it.each([
    ['no JSON', { status: 200, body: '<html>' } as const, 'upstream_bad_response'],
    ['too much', { status: 200, body: 'x'.repeat(3_000_000) } as const, 'upstream_bad_response'],
    ['a refusal', { status: 403, body: { error: 'no' } } as const, 'upstream_rejected'],
    ['nothing', 'drop' as const, 'upstream_error'],
  ])('are an error of the platform where it answers %s', async (_name, reply, code) => {
    lms.fail(/memberships/, reply);
    expect((await members()).json).toMatchObject({ code });
  });
});

describe('a grade', () => {
  const GRADE = { person: 'student-1', score: 7.5, maximum: 10, comment: 'Reason for step two is missing.' };

  it('reaches the platform in a column of its own, which later grades use, too', async () => {
    const first = await gives(GRADE);
    expect([first.status, first.json]).toEqual([
      201,
      expect.objectContaining({ person: 'student-1', score: 7.5, state: 'sent', refusal: null }),
    ]);
    await gives({ ...GRADE, score: 9 });
    expect([...lms.grades.lineItems.values()]).toEqual([
      expect.objectContaining({ label: 'Ask about statistics', scoreMaximum: 10, resourceId: activity }),
    ]);
    expect(lms.grades.of('student-1')).toMatchObject([{ scoreGiven: 7.5, comment: GRADE.comment }, { scoreGiven: 9 }]);
  });

  it.each(['a column that is there', 'a new column'])(
    'never takes the access token elsewhere, to %s',
    async (which) => {
      const other = await LtiPlatform.start();
      lms.grades.lineItems.clear();
      await app.get(DataSource).query('UPDATE lti_activities SET line_item_url = NULL');
      const item = {
        id: `${other.url}/courses/course-1/lineitems/1`,
        scoreMaximum: 10,
        label: 'x',
        resourceId: activity,
      };
      const isThere = which === 'a column that is there';
      lms.fail(/lineitems$/, { status: 200, body: isThere ? [item] : [] }, { method: 'GET' });
      lms.fail(/lineitems$/, { status: 201, body: item }, { method: 'POST' });
      const { json } = await gives(GRADE);
      expect(json).toMatchObject({ state: 'refused', refusal: expect.stringContaining('elsewhere') });
      expect(other.asked).toEqual([]);
      await other.down();
    },
  );

  it('survives a token that the platform has withdrawn', async () => {
    await gives(GRADE);
    lms.tokens.revoke();
    expect((await gives(GRADE)).json).toMatchObject({ state: 'sent' });
  });

  it('that the platform refuses is kept with its words and sent again, once', async () => {
    lms.grades.gradable = new Set();
    const { status, json } = await gives(GRADE);
    expect([status, json.state]).toEqual([201, 'refused']);
    expect(json.refusal).toContain('404: ');
    expect(json.refusal).toContain('Not a student of this course');
    const list = await asks(teacher, 'GET', `/api/v1/lti/activities/${activity}/grades`);
    expect(list.json.items[0]).toEqual(json);
    lms.grades.gradable = null;
    expect((await sendsAgain(json.id)).json).toMatchObject({ state: 'sent', refusal: null });
    expect((await sendsAgain(json.id)).status).toBe(409);
  });

  it.each([
    ['an error of its own', /scores$/, { status: 500, body: '<h1>Fatal</h1>' } as const, '500: Fatal'],
    ['nothing', /scores$/, 'drop' as const, 'could not be reached'],
    ['no token', /^\/token$/, { status: 400, body: { error: 'invalid_scope' } } as const, 'invalid_scope'],
    ['two refused tokens', /scores$/, { status: 401, body: 'expired' } as const, '401: expired'],
  ])('is kept where the platform answers with %s', async (_name, path, reply, words) => {
    lms.fail(path, reply);
    if (path.test('/token')) lms.tokens.revoke();
    if (path.test('/token')) lms.fail(/scores$/, { status: 401 }, { times: 1 });
    const { json } = await gives(GRADE);
    expect(json).toMatchObject({ state: 'refused', refusal: expect.stringContaining(words) });
    expect(app.log()).not.toContain('canary-access-token');
  });

  it('is checked, with every problem named, and needs an instructor of the course', async () => {
    const { status, json } = await gives({ person: '', score: -1, maximum: 0, comment: 7 });
    expect(status).toBe(400);
    const paths: string[] = json.errors.map(({ path }: { path: string }) => path);
    expect([...new Set(paths)].sort()).toEqual(['comment', 'maximum', 'person', 'score']);
    expect((await gives(GRADE, student)).status).toBe(404);
  });

  it('is given by a key of the teacher only with the scope write', async () => {
    const grades = `/api/v1/lti/activities/${activity}/grades`;
    const reading = await byKey({ scopes: ['chat', 'read'] });
    for (const path of [grades, `${grades}/${uuidv7()}/send`])
      expect((await reading('POST', path, GRADE)).json).toMatchObject({ status: 403, reason: 'scope.needed' });
    const writing = await byKey({ scopes: ['chat', 'read', 'write'] });
    expect((await writing('POST', grades, GRADE)).json).toMatchObject({ state: 'sent' });
  });

  it('is refused before it is kept where the platform takes none', async () => {
    const link = { id: 'link-2', title: 'No grades', custom: { assistant } };
    const changeClaims = (claims: Record<string, unknown>): Record<string, unknown> => ({
      ...claims,
      'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint': { scope: [SCOPE.lineItemRead] },
    });
    const other = activityIn(await launch(teacher, lms, { person: TEACHER, link, changeClaims, course: COURSE }));
    const { json } = await asks(teacher, 'POST', `/api/v1/lti/activities/${other}/grades`, GRADE);
    expect(json).toMatchObject({ code: 'conflict' });
  });
});
