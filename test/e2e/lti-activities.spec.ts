import { startApp, type TestApp } from '../support/app';
import { launch, type LmsLink, type LmsPerson, LtiPlatform, ROLES, STUDENT, TEACHER } from '../support/lti-platform';
import { keyOf } from '../support/people';
import { readEvents } from '../support/run-events';
import { SsoBrowser } from '../support/sso-browser';
import { startUpstream, type Upstream } from '../support/upstream';

const MODEL = { connector: 'openai', llm: 'gpt-4o-mini' };
const OTHER_COURSE = { id: 'course-2', title: 'Statistics II' };
const HINTS = 'Give hints only.';

let app: TestApp;
let lms: LtiPlatform;
let upstream: Upstream;
let [cells, bones]: number[] = [];
let teacher: SsoBrowser;
let student: SsoBrowser;
/** Activity with both assistants. */
let activity: string;
let course: string;

const hoursFromNow = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
const windowNow = (mode: 'closed' | 'strict') => ({
  from: hoursFromNow(-1),
  until: hoursFromNow(1),
  mode,
  ...(mode === 'strict' && { instruction: HINTS }),
});
const idIn = (location: string | null, name: string): string =>
  new RegExp(`${name}[/=]([0-9a-f-]{36})`).exec(location ?? '')?.[1] ?? '';
const linkTo = (...ids: number[]): LmsLink => ({
  id: `link-${ids.join('-')}`,
  title: 'Ask',
  custom: { assistant: ids.join(',') },
});

async function assistant(name: string, more: object = {}): Promise<number> {
  const body = { name, prompt_template: '{user_input}', metadata: MODEL, ...more };
  const { json } = await app.api('POST', '/api/v1/assistants', body);
  await app.api('PUT', `/api/v1/assistants/${json.id}/publication`);
  return json.id;
}

async function launched(person: LmsPerson, link = linkTo(cells ?? 0, bones ?? 0), at = {}) {
  const browser = new SsoBrowser(app);
  const { location, text } = await launch(browser, lms, { person, link, ...at });
  if (location === null) throw new Error(text.slice(0, 800));
  return { browser, location };
}

/** Changes settings as the teacher. */
async function set(changes: object, id = activity, browser = teacher) {
  const answer = await browser.call('PATCH', `/api/v1/lti/activities/${id}`, changes, { 'if-match': '*' });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json;
}

const begin = async (browser: SsoBrowser, more: object = {}) =>
  (await browser.call('POST', '/api/v1/conversations', { assistant_id: cells, ...more })).json;
const ask = (browser: SsoBrowser, conversation: string, content: string) =>
  browser.call('POST', `/api/v1/conversations/${conversation}/messages`, { content });

/** A question in a new conversation, with its answer. */
async function asked(browser: SsoBrowser, question: string) {
  const { id } = await begin(browser);
  const { status, json } = await ask(browser, id, question);
  if (status !== 202) return { id, status, json, answer: '' };
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { answer } = await readEvents(app, `${json.answer.run_id}/events`, { cookie });
  return { id, status, json, answer };
}

/** Asks one question at every door that a browser session reaches. */
const askEverywhere = (browser: SsoBrowser) => {
  const messages = [{ role: 'user', content: 'Solve it' }];
  const model = `lamb_assistant.${cells}`;
  return Promise.all(
    (
      [
        ['/v1/chat/completions', { model, messages }],
        ['/chat/completions', { model, messages }],
        [`/api/v1/assistants/${cells}/completions`, { messages }],
        [`/lamb/v1/completions?assistant=${cells}`, { messages }],
        [`/api/v1/assistants/${cells}/runs`, { messages }],
      ] as const
    ).map(async ([path, body]) => ({ path, ...(await browser.call('POST', path, body)) })),
  );
};

beforeAll(async () => {
  upstream = await startUpstream();
  // The model answers with what it was sent.
  upstream.always(({ body }) => ({ content: JSON.stringify(body.messages) }));
  app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-activities' } });
  lms = await LtiPlatform.start();
  [cells, bones] = [await assistant('Cells', { system_prompt: 'Be kind.' }), await assistant('Bones')];
  const match = { by: 'verified_email' };
  const registration = { ...lms.registration, match, instructor_role: 'teacher' };
  lms.tool = (await app.api('POST', '/api/v1/organizations/default/lti/platforms', registration)).json;
  const arrived = await launched(TEACHER);
  teacher = arrived.browser;
  [activity, course] = [idIn(arrived.location, 'activity'), idIn(arrived.location, 'courses')];
  student = (await launched(STUDENT)).browser;
}, 60_000);
afterAll(async () => {
  await app.stop();
  await lms.down();
  await upstream.stop();
});
afterEach(async () => {
  const defaults = { teachers_read: false, anonymous: false, opens_at: null, closes_at: null, windows: [] };
  await set({ ...defaults, assistants: [cells, bones] });
});

describe('an activity', () => {
  it('shows a student its assistants and dates, and a teacher the page of the course', async () => {
    const opens_at = hoursFromNow(2);
    const until = hoursFromNow(9);
    await set({ opens_at, windows: [{ from: hoursFromNow(8), until, mode: 'closed' }] });
    expect((await student.call('GET', `/api/v1/lti/activities/${activity}`)).json).toMatchObject({
      title: 'Ask',
      course: { id: course, title: 'Statistics I' },
      role: 'learner',
      assistants: [
        { id: cells, name: 'Cells' },
        { id: bones, name: 'Bones' },
      ],
      state: 'early',
      opens_at,
      window: null,
      next_window: { mode: 'closed', until },
      agreement: { needed: null, covered: true },
    });
    const { location } = await launched(TEACHER);
    expect(location).toBe(`/courses/${course}?activity=${activity}`);
  });

  it('tells nothing to people who never opened it', async () => {
    const other = (await launched({ ...STUDENT, sub: 'other', email: 'o@uni.example' }, linkTo(bones ?? 0))).browser;
    expect((await other.call('GET', `/api/v1/lti/activities/${activity}`)).status).toBe(404);
    expect((await app.api('GET', `/api/v1/lti/activities/${activity}`)).status).toBe(404);
    expect((await other.call('GET', '/api/v1/lti/activities/7')).status).toBe(404);
  });

  it('keeps its conversations apart from those of another activity with the same assistant', async () => {
    const here = await begin(student);
    const elsewhere = (await launched(STUDENT, linkTo(cells ?? 0))).browser;
    const there = await begin(elsewhere);
    expect([here.activity_id, there.activity_id === here.activity_id]).toEqual([activity, false]);
    expect((await elsewhere.call('GET', `/api/v1/conversations/${here.id}`)).status).toBe(404);
    const { json } = await elsewhere.call('GET', '/api/v1/conversations');
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual([there.id]);
    expect((await begin(elsewhere, { activity_id: activity })).code).toBe('not_found');
  });

  it('no longer opens an assistant that the teacher took out', async () => {
    const { id } = await begin(student);
    await set({ assistants: [bones] });
    expect((await ask(student, id, 'Still there?')).json).toMatchObject({ code: 'not_found' });
    for (const { path, status } of await askEverywhere(student)) expect([path, status]).toEqual([path, 404]);
  });
});

describe('opening and closing dates', () => {
  it.each([
    ['early', { opens_at: hoursFromNow(1) }],
    ['over', { closes_at: hoursFromNow(-1) }],
  ])('stop students at every door (%s), and never teachers', async (state, dates) => {
    await set(dates);
    const refused = {
      code: 'activity_closed',
      reason: `activity.${state}`,
      values: { [state === 'early' ? 'opens_at' : 'closed_at']: expect.any(String) },
    };
    expect((await asked(student, 'Hello?')).json).toMatchObject(refused);
    for (const { path, status, json } of await askEverywhere(student)) {
      expect([path, status, JSON.stringify(json)]).toEqual([path, 403, expect.stringContaining('activity_closed')]);
    }
    expect((await asked(teacher, 'Hello?')).status).toBe(202);
  });
});

describe('an assessment window', () => {
  it('adds its instruction to the prompt at every door, for students', async () => {
    await set({ windows: [windowNow('strict')] });
    expect((await asked(student, 'Solve it')).answer).toContain(`Be kind.\\n\\n${HINTS}`);
    for (const { path, status, text } of await askEverywhere(student)) {
      expect([path, status]).toEqual([path, path.endsWith('/runs') ? 202 : 200]);
      if (status === 200) expect([path, text]).toEqual([path, expect.stringContaining(HINTS)]);
    }
    expect((await asked(teacher, 'Solve it')).answer).not.toContain(HINTS);
  });

  it('closes the assistant for the students of the course, whatever credential they ask with', async () => {
    await set({ windows: [windowNow('strict'), windowNow('closed')] });
    const elsewhere = (await launched(STUDENT, { ...linkTo(cells ?? 0), id: 'elsewhere' }, { course: OTHER_COURSE }))
      .browser;
    const { key } = await keyOf(app, 'ane@students.example', { scopes: ['chat'] });
    for (const browser of [student, elsewhere]) {
      expect((await asked(browser, 'Solve it')).json).toMatchObject({ code: 'activity_closed' });
      for (const { path, status } of await askEverywhere(browser)) expect([path, status]).toEqual([path, 403]);
    }
    const body = { model: `lamb_assistant.${cells}`, messages: [{ role: 'user', content: 'Solve it' }] };
    const headers = { authorization: `Bearer ${key}` };
    expect((await app.api('POST', '/v1/chat/completions', body, headers)).status).toBe(403);
    // People outside of the course are not concerned.
    expect((await app.api('POST', '/v1/chat/completions', body)).status).toBe(200);
  });

  it('that is over, or of an activity without the assistant, changes nothing', async () => {
    await set({ windows: [{ ...windowNow('closed'), from: hoursFromNow(-3), until: hoursFromNow(-2) }] });
    expect((await asked(student, 'Hello')).status).toBe(202);
    await set({ assistants: [bones], windows: [windowNow('closed')] });
    const elsewhere = (await launched(STUDENT, linkTo(cells ?? 0))).browser;
    expect((await asked(elsewhere, 'Hello')).status).toBe(202);
  });
});

describe('conversations that teachers may read', () => {
  const agree = (agree_to: string, browser = student) =>
    browser.call('PUT', `/api/v1/lti/activities/${activity}/agreement`, { agree_to });
  const listed = async (browser = teacher) => browser.call('GET', `/api/v1/lti/activities/${activity}/conversations`);

  it('need the agreement of the student before the first question, and are read from then on', async () => {
    const before = await asked(student, 'My private question');
    await set({ teachers_read: true });
    expect((await ask(student, before.id, 'And now?')).json).toMatchObject({ code: 'agreement_required' });
    for (const { path, status } of await askEverywhere(student)) expect([path, status]).toEqual([path, 403]);
    expect((await listed()).json.items).toEqual([]);

    expect((await agree('named')).json.agreement).toMatchObject({ agreed_to: 'named', covered: true });
    await asked(student, 'What is osmosis?');
    const { items } = (await listed()).json;
    expect(items).toMatchObject([
      { title: 'What is osmosis?', questions: 1, person: { name: 'Ane Etxeberria', person: STUDENT.sub } },
    ]);
    const one = await teacher.call('GET', `/api/v1/lti/activities/${activity}/conversations/${items[0].id}`);
    expect(one.json.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
    expect(one.json.messages[1]).toMatchObject({ status: 'completed', content: expect.stringContaining('osmosis') });
    expect(one.text).not.toContain('private');
    expect((await teacher.call('GET', `/api/v1/lti/activities/${activity}/conversations/${before.id}`)).status).toBe(
      404,
    );
    const { json } = await app.api('GET', '/api/v1/organizations/default/audit?action=lti_conversations.read');
    expect(json.items.length).toBeGreaterThan(0);
  });

  it('show pseudonyms in an anonymous activity, and no way to the person', async () => {
    await set({ teachers_read: true, anonymous: true });
    expect((await agree('named')).json).toMatchObject({ code: 'conflict' });
    const { pseudonym } = (await agree('pseudonymous')).json;
    await asked(student, 'Which bone is longest?');
    const { text, json } = await listed();
    expect(json.items).toMatchObject([{ person: { name: null, person: null, pseudonym } }]);
    const me = (await student.me()).user;
    for (const secret of ['Ane', STUDENT.sub, me.id, me.email]) expect(text).not.toContain(secret);
    // Names would be more than the student agreed to.
    await set({ anonymous: false });
    expect((await asked(student, 'Another one')).json).toMatchObject({ code: 'agreement_required' });
    expect((await listed()).json.items).toEqual([]);
  });

  it('name nobody later for what was asked under a pseudonym', async () => {
    await set({ teachers_read: true });
    await agree('named');
    await set({ anonymous: true });
    expect((await asked(student, 'Which bone is longest?')).json.code).toBeUndefined();
    await set({ anonymous: false });
    expect((await listed()).json.items).toEqual([]);
    expect((await asked(student, 'Another one')).json).toMatchObject({ code: 'agreement_required' });
  });

  it('are closed again when the student takes the agreement back, or the teacher ends the reading', async () => {
    await set({ teachers_read: true });
    await agree('named');
    await asked(student, 'One');
    expect((await listed()).json.items).toHaveLength(1);
    await student.call('DELETE', `/api/v1/lti/activities/${activity}/agreement`);
    expect((await listed()).json.items).toEqual([]);
    expect((await asked(student, 'Two')).status).toBe(403);
    await agree('named');
    await set({ teachers_read: false });
    expect((await listed()).json).toMatchObject({ code: 'forbidden' });
    await set({ teachers_read: true });
    expect((await listed()).json.items).toEqual([]);
    expect((await asked(student, 'Three')).status).toBe(403);
  });

  it('stay closed to students, to teachers of other courses and to administrators', async () => {
    await set({ teachers_read: true });
    const person = { ...TEACHER, sub: 'teacher-2', email: 'two@staff.example' };
    const stranger = (await launched(person, linkTo(cells ?? 0), { course: OTHER_COURSE })).browser;
    for (const browser of [student, stranger]) expect((await listed(browser)).status).toBe(404);
    expect((await app.api('GET', `/api/v1/lti/activities/${activity}/conversations`)).status).toBe(404);
  });
});

describe('the settings of an activity', () => {
  it('name every problem', async () => {
    const { status, json } = await teacher.call(
      'PATCH',
      `/api/v1/lti/activities/${activity}`,
      {
        assistants: [cells, 999_999],
        opens_at: '2027-01-20T09:00:00',
        windows: [{ from: 'noon', until: hoursFromNow(1), mode: 'soft' }],
      },
      { 'if-match': '*' },
    );
    expect(status).toBe(400);
    const paths = new Set(json.errors.map(({ path }: { path: string }) => path));
    expect([...paths].sort()).toEqual(['opens_at', 'windows[0].from', 'windows[0].mode']);
    const later = await teacher.call(
      'PATCH',
      `/api/v1/lti/activities/${activity}`,
      {
        opens_at: hoursFromNow(2),
        closes_at: hoursFromNow(1),
        windows: [{ from: hoursFromNow(2), until: hoursFromNow(1), mode: 'strict' }],
      },
      { 'if-match': '*' },
    );
    expect(later.json.errors.map(({ path }: { path: string }) => path)).toEqual([
      'closes_at',
      'windows[0].until',
      'windows[0].instruction',
    ]);
    const foreign = { assistants: [cells, 999_999] };
    const refused = await teacher.call('PATCH', `/api/v1/lti/activities/${activity}`, foreign, { 'if-match': '*' });
    expect(refused.json.errors).toMatchObject([{ path: 'assistants[1]' }]);
  });

  it('want the version that they change, and a teacher of the course', async () => {
    const path = `/api/v1/lti/activities/${activity}`;
    expect((await teacher.call('PATCH', path, { anonymous: true })).status).toBe(428);
    expect((await teacher.call('PATCH', path, { anonymous: true }, { 'if-match': '"0"' })).status).toBe(412);
    expect((await student.call('PATCH', path, { anonymous: true }, { 'if-match': '*' })).status).toBe(404);
    const log = await app.api('GET', '/api/v1/organizations/default/audit?action=lti_activity.update');
    expect(log.json.items.length).toBeGreaterThan(0);
  });
});

describe('the page of a course', () => {
  it('lets the teacher choose assistants for a link that names none, and publish an own draft', async () => {
    const bare: LmsLink = { id: 'bare', title: 'Bare link' };
    const { browser, location } = await launched(TEACHER, bare);
    const id = idIn(location, 'activity');
    const mine = await keyOf(app, TEACHER.email ?? '');
    const draft = (
      await mine.api('POST', '/api/v1/assistants', { name: 'Draft', prompt_template: '{user_input}', metadata: MODEL })
    ).json.id;
    const offered = (await browser.call('GET', `/api/v1/lti/activities/${id}/assistants`)).json.items;
    expect(offered.map(({ name }: { name: string }) => name)).toEqual(['Cells', 'Bones']);
    await app.api('PUT', `/api/v1/assistants/${draft}/publication`);
    await set({ assistants: [draft] }, id, browser);
    await app.api('DELETE', `/api/v1/assistants/${draft}/publication`);
    const shown = (await browser.call('GET', `/api/v1/lti/courses/${course}`)).json;
    expect(shown).toMatchObject({ title: 'Statistics I', platform: 'Test LMS', has_roster: true });
    expect(shown.activities.find((each: { id: string }) => each.id === id).assistants).toEqual([
      { id: draft, name: 'Draft', state: 'unpublished', may_publish: true },
    ]);
    const published = await browser.call('PUT', `/api/v1/lti/activities/${id}/assistants/${draft}/publication`);
    expect(published.json.assistants).toMatchObject([{ state: 'published', may_publish: false }]);
    expect((await browser.call('PUT', `/api/v1/lti/activities/${id}/assistants/${cells}/publication`)).status).toBe(
      404,
    );
    expect((await launched(STUDENT, bare)).location).toMatch(new RegExp(`^/chat/${draft}`));
  });

  it('counts students and their questions, and names subjects that five of them share', async () => {
    const bare: LmsLink = { ...linkTo(cells ?? 0), id: 'counted' };
    const counted = { course: { id: 'course-3', title: 'Counted' } };
    const boss = await launched({ ...TEACHER }, bare, counted);
    await asked(boss.browser, 'Not counted: mitochondria');
    for (const n of [1, 2, 3, 4, 5]) {
      const someone = { sub: `s-${n}`, email: `s${n}@uni.example`, roles: [ROLES.learner] };
      await asked((await launched(someone, bare, counted)).browser, n === 1 ? 'Osmosis and my dog?' : 'About osmosis');
    }
    const path = `/api/v1/lti/courses/${idIn(boss.location, 'courses')}`;
    expect((await boss.browser.call('GET', `${path}/use`)).json).toEqual({
      questions: 5,
      students: 5,
      days: [{ day: new Date().toISOString().slice(0, 10), questions: 5, students: 5 }],
      activities: [
        {
          activity_id: idIn(boss.location, 'activity'),
          questions: 5,
          students: 5,
          assistants: [{ assistant_id: cells, questions: 5, students: 5 }],
          up: 0,
          down: 0,
          failed: 0,
        },
      ],
    });
    expect((await boss.browser.call('GET', `${path}/topics`)).json).toEqual({
      least_students: 5,
      questions: 5,
      items: [{ words: 'osmosis', questions: 5, students: 5 }],
    });
    for (const part of ['', '/use', '/topics']) expect((await student.call('GET', path + part)).status).toBe(404);
    // The launch into one course reaches no other one, although the same person teaches it.
    expect((await teacher.call('GET', path)).status).toBe(404);
  });

  it('tries an assistant, as usual and under the instruction of a window', async () => {
    const trial = (more: object, browser = teacher) =>
      browser.call('POST', `/api/v1/lti/activities/${activity}/trials`, {
        assistant_id: cells,
        question: 'Solve',
        ...more,
      });
    expect((await trial({})).json.answer).not.toContain(HINTS);
    expect((await trial({ instruction: HINTS })).json.answer).toContain(`Be kind.\\n\\n${HINTS}`);
    expect((await trial({}, student)).status).toBe(404);
    expect((await trial({ assistant_id: 999_999 })).status).toBe(404);
    expect((await teacher.call('GET', '/api/v1/conversations?q=Trial')).json.items).toEqual([]);
  });
});
