// People come from a course of a learning platform into the chat.
import { createRequire } from 'node:module';
import type * as LtiPlatforms from '../../test/support/lti-platform/index';
import { type Api, check, checkRules, checkWidth, expect, shot, test as base } from './support/fixtures';

// The service's tests are CommonJS, whose names an import does not find.
const { LtiPlatform, STUDENT, TEACHER } = createRequire(import.meta.url)(
  '../../test/support/lti-platform/index.ts',
) as typeof LtiPlatforms;
type LtiPlatform = LtiPlatforms.LtiPlatform;

const test = base.extend<{ lms: LtiPlatform }>({
  // A launch begins at the platform, which is another origin, and nobody is signed in.
  guarded: async ({}, use) => use(),
  storageState: async ({}, use) => use({ cookies: [], origins: [] }),
  lms: async ({ api }, use) => {
    const lms = await LtiPlatform.start();
    lms.clientId = `launch-${Date.now().toString(36)}`;
    lms.tool = await api.post('/api/v1/organizations/default/lti/platforms', lms.registration);
    await use(lms);
    await lms.down();
  },
});

async function assistant(api: Api, name: string, published = true): Promise<number> {
  const { id } = await api.post('/api/v1/assistants', {
    name,
    prompt_template: '{user_input}',
    metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
  });
  if (published) await api.put(`/api/v1/assistants/${id}/publication`);
  return id;
}

const linkTo = (id: number, name: string) => ({ id: `link-${id}`, title: name, custom: { assistant: String(id) } });

test('a student opens an activity, asks, and finds the conversation at the next launch', async ({ page, api, lms }) => {
  const id = await assistant(api, 'Cells of the course');
  const link = linkTo(id, 'Ask about cells');
  await page.goto(lms.begin({ person: STUDENT, link }));
  await expect(page).toHaveURL(new RegExp(`/chat/${id}`));
  await page.getByTestId('chat-input').fill('What moves through a membrane? Please repeat.');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('answer')).toContainText('What moves through a membrane?');
  await check(page);
  await shot(page, 'launched-chat');

  await page.context().clearCookies();
  await page.goto(lms.begin({ person: STUDENT, link }));
  await expect(page.getByTestId('conversations')).toContainText('What moves through a membrane?');
});

test('a draft tells a student in Catalan what to do, and its teacher where to publish it', async ({
  page,
  api,
  lms,
}) => {
  const id = await assistant(api, 'Not published', false);
  const link = linkTo(id, 'Ask later');
  await page.goto(lms.begin({ person: STUDENT, link, locale: 'ca' }));
  await expect(page.locator('html')).toHaveAttribute('lang', 'ca');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await checkRules(page);
  await checkWidth(page);
  await shot(page, 'launch-refused');
  await page.goto(lms.begin({ person: TEACHER, link, locale: 'en' }));
  await expect(page.getByTestId('activity-assistant')).toContainText('Not published');
});
