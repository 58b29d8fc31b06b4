// The page of a course for its teacher, and the rules of the course in the chat of its students.
import { createRequire } from 'node:module';
import type * as LtiPlatforms from '../../test/support/lti-platform/index';
import { type Api, check, expect, type Page, picture, shot, test as base } from './support/fixtures';
import { reachable } from './support/keyboard';

// The service's tests are CommonJS, whose names an import does not find.
const { LtiPlatform, ROLES, STUDENT, TEACHER } = createRequire(import.meta.url)(
  '../../test/support/lti-platform/index.ts',
) as typeof LtiPlatforms;
type LtiPlatform = LtiPlatforms.LtiPlatform;

const test = base.extend<{ lms: LtiPlatform; student: Page }>({
  // A launch begins at the platform, which is another origin, and nobody is signed in.
  guarded: async ({}, use) => use(),
  storageState: async ({}, use) => use({ cookies: [], origins: [] }),
  lms: async ({ api }, use) => {
    const lms = await LtiPlatform.start();
    lms.clientId = `course-${Date.now().toString(36)}`;
    lms.roster.members = [TEACHER, STUDENT];
    const platform = { ...lms.registration, name: 'Moodle of Example University' };
    lms.tool = await api.post('/api/v1/organizations/default/lti/platforms', platform);
    await use(lms);
    await lms.down();
  },
  /** Another browser, of a phone's size. */
  student: async ({ browser, service }, use) => {
    const context = await browser.newContext({
      baseURL: service.url,
      viewport: { width: 390, height: 844 },
      locale: 'en-GB',
    });
    await use(await context.newPage());
    await context.close();
  },
});

async function assistant(api: Api, name: string): Promise<number> {
  const body = { name, prompt_template: '{user_input}', metadata: { connector: 'openai', llm: 'gpt-4o-mini' } };
  const { id } = await api.post('/api/v1/assistants', body);
  await api.put(`/api/v1/assistants/${id}/publication`);
  return id;
}

const frameOf = (page: Page) => page.frameLocator('#tool');

test('a teacher sets the rules of an activity, a student agrees, and a mark goes back', async ({
  page,
  api,
  lms,
  student,
}) => {
  test.slow();
  const id = await assistant(api, 'Essay feedback');
  const link = { id: 'essay', title: 'Feedback on your essay', custom: { assistant: String(id) } };
  await test.step('the teacher arrives at the course in its frame', async () => {
    await page.goto(lms.courseAddress({ person: TEACHER, link }));
    await expect(frameOf(page).getByRole('heading', { name: 'Statistics I' })).toBeVisible();
    await expect(frameOf(page).getByTestId('no-use')).toBeVisible();
    await page.goto(lms.begin({ person: TEACHER, link }));
    await expect(page.getByTestId('standing')).toHaveText('Open');
    await check(page);
  });

  await test.step('lets teachers read, and adds a window', async () => {
    await page.getByTestId('panel-settings').click();
    await page.getByTestId('teachers-read').check();
    await page.getByTestId('add-window').click();
    await check(page);
    await shot(page, 'course-settings');
    await page.getByTestId('save-activity').click();
    await expect(page.getByText('agreed that you read')).toBeVisible();
    await expect(page.getByTestId('standing')).toContainText('Assessment from');
  });

  await test.step('tries the instruction before the window begins', async () => {
    await page.getByTestId('panel-try').click();
    await page.getByTestId('try-rules').selectOption('Window 1');
    await page.getByTestId('try-question').fill('Write my essay. Please repeat.');
    await page.getByTestId('try-ask').click();
    await expect(page.getByTestId('try-answer')).toContainText('Write my essay');
  });

  await test.step('the student agrees, then asks', async () => {
    await student.goto(lms.courseAddress({ person: STUDENT, link }));
    const frame = frameOf(student);
    await expect(frame.getByTestId('agreement')).toContainText('Statistics I');
    await expect(frame.getByTestId('chat-input')).toHaveCount(0);
    await student.goto(lms.begin({ person: STUDENT, link }));
    await check(student);
    await shot(student, 'course-agreement');
    await student.getByTestId('agree').click();
    await student.getByTestId('chat-input').fill('My essay, please repeat.\n\nTotal: 7.5 of 10');
    await student.keyboard.press('Enter');
    await expect(student.getByTestId('answer')).toContainText('7.5 of 10');
    await expect(student.getByTestId('reply').last()).toHaveAttribute('data-status', 'completed');
    await expect(student.getByTestId('agreed')).toBeVisible();
    await shot(student, 'course-chat');
  });

  await test.step('the teacher reads it and hands the mark back, after a look at what is sent', async () => {
    await page.getByTestId('panel-conversations').click();
    await page.getByTestId('readable').click();
    await expect(page.getByTestId('read-message').last()).toContainText('7.5 of 10');
    await shot(page, 'course-conversation');
    await page.getByTestId('grade-btn').click();
    await expect(page.getByTestId('grade-score')).toHaveValue('7.5');
    await page.getByTestId('grade-comment').fill('Well argued.');
    await page.getByTestId('check-grade').click();
    await expect(page.getByTestId('grade-preview')).toContainText('7.5 of 10');
    expect(lms.grades.of(STUDENT.sub)).toEqual([]);
    await check(page);
    await shot(page, 'course-grade');
    await page.getByTestId('send-grade').click();
    await expect(page.getByText('The grade has been sent.')).toBeVisible();
    expect(lms.grades.of(STUDENT.sub)).toMatchObject([{ scoreGiven: 7.5, scoreMaximum: 10, comment: 'Well argued.' }]);
  });

  await test.step('a refused grade waits, and is sent again', async () => {
    lms.grades.gradable = new Set();
    await page.getByTestId('panel-grades').click();
    await page.getByTestId('new-grade').click();
    await page.getByTestId('grade-score').fill('9');
    await page.getByTestId('check-grade').click();
    await expect(page.getByTestId('grade-preview')).toContainText('It takes the place of 7.5 of 10');
    await page.getByTestId('send-grade').click();
    await expect(page.getByTestId('grade').first()).toContainText('Not a student of this course');
    lms.grades.gradable = null;
    await page.getByTestId('send-again').click();
    await expect(page.getByTestId('grade').first()).toContainText('Sent');
  });

  await test.step('the student takes the agreement back', async () => {
    await student.getByTestId('withdraw').click();
    await student.getByTestId('confirm-btn').click();
    await expect(student.getByTestId('agreement')).toBeVisible();
    await page.reload();
    await page.getByTestId('panel-conversations').click();
    await expect(page.getByTestId('reading-none')).toBeVisible();
  });
});

test('the page of a course in use, and closed activities in the chat', async ({ page, api, lms, student }) => {
  test.slow();
  const [one, two] = [await assistant(api, 'Statistics tutor'), await assistant(api, 'Exercise helper')];
  const link = { id: 'stat', title: 'Ask about statistics', custom: { assistant: `${one},${two}` } };
  const asked = [
    'What is a standard deviation?',
    'Why do we square it in a standard deviation?',
    'How is a median read?',
  ];
  for (let n = 1; n <= 6; n += 1) {
    await student.context().clearCookies();
    const person = { sub: `student-${n}`, name: `Student ${n}`, roles: [ROLES.learner] };
    await student.goto(lms.begin({ person, link }));
    await student.getByTestId('chat-input').fill(asked[n % 2] ?? '');
    await student.keyboard.press('Enter');
    await expect(student.getByTestId('answer')).toBeVisible();
  }
  await page.goto(lms.begin({ person: TEACHER, link }));
  await expect(page.getByTestId('use-students')).toHaveText('6');
  await expect(page.getByTestId('course-topics')).toContainText('standard deviation');
  await page.getByTestId('show-people').click();
  await expect(page.getByTestId('member')).toHaveCount(2);
  await check(page);
  await reachable(page, 'course');
  await shot(page, 'course');
  await picture(page, 'course');

  await page.getByTestId('panel-settings').click();
  await page.getByTestId('closes').fill('2020-01-01T10:00');
  await page.getByTestId('save-activity').click();
  await expect(page.getByTestId('standing')).toContainText('Closed since');
  await student.reload();
  await expect(student.getByTestId('course-notice')).toContainText('This activity ended');
  await expect(student.getByTestId('chat-input')).toHaveCount(0);
  await student.getByTestId('course-menu').click();
  await student.getByTestId(`assistant-${two}`).click();
  await expect(student).toHaveURL(new RegExp(`/chat/${two}`));
});

test('a course that is gone says what to do', async ({ page, lms, api }) => {
  const id = await assistant(api, 'Gone');
  await page.goto(lms.begin({ person: TEACHER, link: { id: 'gone', custom: { assistant: String(id) } } }));
  await expect(page.getByTestId('activity').first()).toBeVisible();
  const { items } = await api.get('/api/v1/organizations/default/lti/platforms?limit=100');
  const { id: platform } = items.find((each: { client_id: string }) => each.client_id === lms.clientId);
  await api.del(`/api/v1/organizations/default/lti/platforms/${platform}`);
  await page.reload();
  await expect(page.getByTestId('course-gone')).toBeVisible();
});
