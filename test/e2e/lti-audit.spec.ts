import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { launch, type LmsMessage, LtiPlatform, STUDENT, TEACHER } from '../support/lti-platform';
import { keyOf } from '../support/people';
import { SsoBrowser } from '../support/sso-browser';

const MODEL = { connector: 'openai', llm: 'gpt-4o-mini' };

let app: TestApp;
let lms: LtiPlatform;
let teacher: SsoBrowser;
let student: SsoBrowser;
let assistant: number;
let activity: string;

const actions = async (): Promise<string[]> => {
  const rows: { action: string }[] = await app.get(DataSource).query('SELECT action FROM audit_entries ORDER BY id');
  return rows.map(({ action }) => action);
};

/** What a browser that the platform sent here is shown, and where. */
async function launched(message: LmsMessage): Promise<{ browser: SsoBrowser; location: string }> {
  const browser = new SsoBrowser(app);
  const { location, text } = await launch(browser, lms, message);
  if (location === null) throw new Error(text.slice(0, 600));
  return { browser, location };
}

type Call = readonly [method: string, path: string, body?: unknown];

/** The actions that one call wrote, and its answer. */
async function written(browser: SsoBrowser, [method, path, body]: Call): Promise<{ actions: string[]; json: any }> {
  const before = (await actions()).length;
  const { status, text, json } = await browser.call(method, path, body, { 'if-match': '*' });
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return { actions: (await actions()).slice(before), json };
}

beforeAll(async () => {
  app = await startApp();
  lms = await LtiPlatform.start();
  const registration = { ...lms.registration, match: { by: 'verified_email' }, instructor_role: 'teacher' };
  lms.tool = (await app.api('POST', '/api/v1/organizations/default/lti/platforms', registration)).json;
  await app.api('POST', '/api/v1/organizations/default/members', {
    email: TEACHER.email,
    name: 'Teacher',
    role: 'teacher',
  });
  const owner = await keyOf(app, TEACHER.email ?? '');
  assistant = (await owner.api('POST', '/api/v1/assistants', { name: 'Cells', metadata: MODEL })).json.id;
  const link = { id: 'link-1', title: 'Ask', custom: { assistant: String(assistant) } };
  const arrived = await launched({ person: TEACHER, link });
  teacher = arrived.browser;
  activity = /activity=([0-9a-f-]{36})/.exec(arrived.location)?.[1] ?? '';
  await teacher.call('PUT', `/api/v1/lti/activities/${activity}/assistants/${assistant}/publication`);
  student = (await launched({ person: STUDENT, link })).browser;
}, 60_000);
afterAll(async () => {
  await app.stop();
  await lms.down();
});

describe('the audit log of a course', () => {
  it('has one entry for each change of an activity', async () => {
    const of = `/api/v1/lti/activities/${activity}`;
    const changes: readonly (readonly [action: string, who: SsoBrowser, call: Call])[] = [
      ['lti_activity.update', teacher, ['PATCH', of, { teachers_read: true }]],
      ['lti_activity.agree', student, ['PUT', `${of}/agreement`, { agree_to: 'named' }]],
      ['lti_activity.withdraw', student, ['DELETE', `${of}/agreement`]],
      ['lti_grade.give', teacher, ['POST', `${of}/grades`, { person: STUDENT.sub, score: 7, maximum: 10 }]],
    ];
    for (const [action, who, call] of changes) {
      expect([call[1], (await written(who, call)).actions]).toEqual([call[1], [action]]);
    }
    await app.api('DELETE', `/api/v1/assistants/${assistant}/publication`);
    const publication = await written(teacher, ['PUT', `${of}/assistants/${assistant}/publication`]);
    expect(publication.actions).toEqual(['assistant.publish']);
  });

  it('has a grade that is sent again', async () => {
    const of = `/api/v1/lti/activities/${activity}/grades`;
    lms.grades.gradable = new Set();
    const { json } = await written(teacher, ['POST', of, { person: STUDENT.sub, score: 8, maximum: 10 }]);
    lms.grades.gradable = null;
    expect((await written(teacher, ['POST', `${of}/${json.id}/send`])).actions).toEqual(['lti_grade.send']);
  });

  it('has the links that a teacher puts into the course', async () => {
    const { browser, location } = await launched({ type: 'LtiDeepLinkingRequest', person: TEACHER });
    const path = `/api/v1/lti/deep-linking/${location.split('/').at(-1)}`;
    const links = [{ title: 'Cells', assistants: [assistant] }];
    expect((await written(browser, ['POST', path, { links }])).actions).toEqual(['lti_links.add']);
  });

  it('has the invitation of a platform, without its address', async () => {
    const before = (await actions()).length;
    const { json } = await app.api('POST', '/api/v1/organizations/default/lti/registrations', {});
    expect((await actions()).slice(before)).toEqual(['lti_registration.invite']);
    const log = await app.api('GET', '/api/v1/organizations/default/audit?limit=100');
    expect(log.text).not.toContain(String(json.registration_url).split('/').at(-1));
  });
});
