// The ways into a course: a platform registers itself, a teacher adds links, and a frame without cookies opens a window.
import { createRequire } from 'node:module';
import type * as LtiPlatforms from '../../test/support/lti-platform/index';
import { type Api, checkRules, checkWidth, expect, shot, test as base } from './support/fixtures';

// The service's tests are CommonJS, whose names an import does not find.
const { LtiPlatform, STUDENT, TEACHER } = createRequire(import.meta.url)(
  '../../test/support/lti-platform/index.ts',
) as typeof LtiPlatforms;
type LtiPlatform = LtiPlatforms.LtiPlatform;

const PLATFORMS = '/api/v1/organizations/default/lti/platforms';

const test = base.extend<{ lms: LtiPlatform }>({
  // A launch begins at the platform, which is another origin.
  guarded: async ({}, use) => use(),
  lms: async ({}, use) => {
    const lms = await LtiPlatform.start();
    lms.clientId = `doors-${Date.now().toString(36)}`;
    await use(lms);
    await lms.down();
  },
});

// In a process of its own the driver loses the tool's frame when it goes from one site to the other and back: the page is there,
// and cannot be asked for. Cookies and messages between sites are the same in one process.
test.use({
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, args: [...(launchOptions.args ?? []), '--disable-site-isolation-trials'] }),
});

async function assistant(api: Api, name: string): Promise<number> {
  const body = { name, prompt_template: '{user_input}', metadata: { connector: 'openai', llm: 'gpt-4o-mini' } };
  const { id } = await api.post('/api/v1/assistants', body);
  await api.put(`/api/v1/assistants/${id}/publication`);
  return id;
}

test('a platform registers itself by one address, and an administrator approves it', async ({ page, lms }) => {
  await page.goto('/organization/platforms');
  await page.getByTestId('make-registration').click();
  const address = await page.getByTestId('registration-url').inputValue();
  await checkRules(page);
  await checkWidth(page);

  await page.goto(`${lms.url}/add-tool?${new URLSearchParams({ address }).toString()}`);
  const frame = page.frameLocator('#tool');
  await expect(frame.getByText(lms.issuer)).toBeVisible();
  await frame.getByRole('button').click();
  await expect.poll(() => lms.registrations.received.length).toBe(1);
  await frame.locator('#close').click();
  await expect(page.locator('#state')).toHaveText('closed');

  await page.goto('/organization/platforms');
  const row = page.getByTestId('platform-row').filter({ hasText: lms.issuer });
  await expect(row.getByTestId('awaits')).toBeVisible();
  await row.getByRole('link').click();
  await expect(page.getByTestId('awaits-approval')).toBeVisible();
  await page.getByTestId('active').check();
  await page.getByTestId('save-btn').click();
  await expect(page.getByTestId('awaits-approval')).toHaveCount(0);
});

test('a teacher adds two assistants with one link, and students agree before they ask', async ({ page, api, lms }) => {
  const names = ['Cells of the picker', 'Bones of the picker'];
  for (const name of names) await assistant(api, name);
  await page.context().clearCookies();
  lms.tool = await api.post(PLATFORMS, lms.registration);
  await page.goto(lms.courseAddress({ type: 'LtiDeepLinkingRequest', person: TEACHER }));
  const picker = page.frameLocator('#tool');
  for (const name of names) await picker.getByLabel(name).check();
  await expect(picker.getByLabel('One link with all chosen assistants')).toBeChecked();
  await picker.getByLabel('Title of the link').fill('Anatomy');
  await picker.getByLabel('with pseudonyms').check();
  await shot(page, 'deep-linking');
  await picker.getByRole('button', { name: 'Add to the course' }).click();
  await expect(picker.locator('#added')).toBeVisible();

  const [link] = lms.selections.at(-1)?.links ?? [];
  if (link === undefined) throw new Error('The platform got no link');
  await page.context().clearCookies();
  await page.goto(lms.begin({ person: STUDENT, link }));
  await expect(page.getByTestId('agreement')).toBeVisible();
  await expect(page.getByTestId('chat-input')).toHaveCount(0);
});

for (const storage of [true, false]) {
  const how = storage ? 'with the storage of the platform' : 'by beginning again';
  test(`a frame without cookies opens the chat in a new window ${how}`, async ({ page, api, lms }) => {
    const id = await assistant(api, 'Without cookies');
    await page.context().clearCookies();
    // Another site than the service: over http its frame gets no cookie of the service.
    const elsewhere = (address: string): string => address.replace('//127.0.0.1', '//localhost');
    const { registration } = lms;
    const { authorization_endpoint: authorize } = registration;
    // The storage belongs to the site of this address; without it, http brings a cookie back from the own site only.
    const platform = { ...registration, authorization_endpoint: storage ? elsewhere(authorize) : authorize };
    lms.tool = await api.post(PLATFORMS, platform);
    const link = { id: 'framed', title: 'Framed', custom: { assistant: String(id) } };
    await page.goto(elsewhere(lms.courseAddress({ person: STUDENT, link }, storage)));
    const opened = page.waitForEvent('popup');
    await page.frameLocator('#tool').locator('a.button:visible').click();
    const chat = await opened;
    await expect(chat).toHaveURL(new RegExp(`/chat/${id}`));
    await expect(chat.getByTestId('chat-input')).toBeVisible();
  });
}
