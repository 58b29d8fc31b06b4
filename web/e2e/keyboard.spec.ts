// Everything by keyboard alone: on each page every control is reached, shows its focus, and is not covered then.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, apiOf, expect, type Page, test } from './support/fixtures';
import { menusReachable, reachable, unfold } from './support/keyboard';
import { type Made, somethingOfEverything } from './support/something';

interface Places extends Made {
  /** A batch of migrations that has run. */
  readonly batch: string;
}

interface Stop {
  readonly name: string;
  readonly path: (made: Places) => string;
  /** Makes everything appear that there is. */
  readonly until?: (page: Page) => Promise<void>;
  /** Seen by those who have not signed in. */
  readonly signedOut?: true;
}

const opened =
  (testid: string) =>
  async (page: Page): Promise<void> =>
    expect(page.getByTestId(testid).first()).toBeVisible();

/** The form whole, its editor of templates and the playground beside it. */
async function wholeForm(page: Page): Promise<void> {
  const template = page.getByTestId('prompt-template');
  await expect(template).toBeVisible();
  // One that was written by hand is shown at once.
  const isOpen = await template.evaluate((details) => (details as HTMLDetailsElement).open);
  if (!isOpen) await template.locator('summary').first().click();
  await page.getByTestId('template-editor').scrollIntoViewIfNeeded();
  await expect(page.locator('.cm-content')).toBeVisible();
  await expect(page.getByTestId('playground-pane')).toBeVisible();
}

async function asked(page: Page): Promise<void> {
  await page.getByTestId('question-input').fill('What moves?');
  await page.getByTestId('ask-btn').click();
  await expect(page.getByTestId('run').last()).toHaveAttribute('data-status', 'completed');
  await page.getByTestId('tab-prompt').click();
  await expect(page.getByTestId('prompt-filled')).toBeVisible();
}

async function chatted(page: Page): Promise<void> {
  await page.getByTestId('chat-input').fill('What moves?');
  await page.getByTestId('chat-send').click();
  await expect(page.getByTestId('reply')).toHaveAttribute('data-status', 'completed');
  await expect(page.getByTestId('conversation').first()).toBeVisible();
}

async function queried(page: Page): Promise<void> {
  await expect(page.getByTestId('document')).toBeVisible();
  await page.getByTestId('query-input').fill('water');
  await page.getByTestId('query-btn').click();
  await expect(page.getByTestId('judge-right').first()).toBeVisible();
}

/** Buttons that a batch shows last are there. */
async function batchDone(page: Page): Promise<void> {
  await expect(page.getByTestId('batch-state')).toHaveAttribute('data-state', 'done', { timeout: 30_000 });
  await expect(page.getByTestId('batch-item')).toHaveCount(1);
}

const STOPS: readonly Stop[] = [
  { name: 'list', path: () => '/assistants', until: opened('assistants-list') },
  { name: 'choice of a type', path: () => '/assistants/new', until: opened('recipe') },
  { name: 'a recipe', path: () => '/assistants/new/lab-helper', until: opened('copy-sample') },
  { name: 'new classic form', path: () => '/assistants/create', until: wholeForm },
  { name: 'classic form', path: ({ classic }) => `/assistants/${classic}`, until: wholeForm },
  { name: 'new multi-tool form', path: () => '/multi-tool-assistants/create', until: wholeForm },
  { name: 'pipeline', path: ({ multiTool }) => `/multi-tool-assistants/${multiTool}`, until: wholeForm },
  { name: 'tests', path: ({ classic }) => `/assistants/${classic}/tests`, until: opened('add-test') },
  {
    name: 'what the class asks',
    path: ({ classic }) => `/assistants/${classic}/insights`,
    until: opened('insights'),
  },
  { name: 'view', path: ({ multiTool }) => `/multi-tool-assistants/${multiTool}?view`, until: opened('statistics') },
  { name: 'playground', path: ({ multiTool }) => `/playground/${multiTool}`, until: asked },
  { name: 'chat', path: ({ multiTool }) => `/chat/${multiTool}`, until: chatted },
  { name: 'runs', path: () => '/runs', until: opened('run-row') },
  { name: 'run', path: ({ run }) => `/runs/${run}`, until: opened('tab-report') },
  { name: 'comparison', path: ({ replay }) => `/replays/${replay}`, until: opened('compared-item') },
  { name: 'receipts', path: () => '/receipts', until: opened('receipt-text') },
  { name: 'knowledge bases', path: () => '/knowledge-bases', until: opened('create-btn') },
  { name: 'new knowledge base', path: () => '/knowledge-bases/create', until: opened('kb-name-input') },
  { name: 'knowledge base', path: ({ base }) => `/knowledge-bases/${base}`, until: queried },
  { name: 'rubrics', path: () => '/rubrics' },
  { name: 'new rubric', path: () => '/rubrics/create', until: opened('rubric-title') },
  { name: 'rubric', path: ({ rubric }) => `/rubrics/${rubric}`, until: opened('rubric-title') },
  { name: 'files', path: () => '/files', until: opened('upload-box') },
  { name: 'prompt templates', path: () => '/prompt-templates' },
  { name: 'new prompt template', path: () => '/prompt-templates/create', until: opened('template-name') },
  {
    name: 'prompt template',
    path: ({ template }) => `/prompt-templates/${template}`,
    until: opened('template-name'),
  },
  { name: 'overview', path: () => '/organization', until: opened('features-form') },
  { name: 'providers', path: () => '/organization/providers', until: opened('vendor-anthropic') },
  { name: 'members', path: () => '/organization/members', until: opened('member-row') },
  { name: 'groups', path: () => '/organization/groups', until: opened('new-scim-token') },
  { name: 'sign-in services', path: () => '/organization/sign-on', until: opened('local-sign-in') },
  { name: 'new sign-in service', path: () => '/organization/sign-on/create', until: opened('issuer-key') },
  {
    name: 'sign-in service',
    path: ({ issuer }) => `/organization/sign-on/issuers/${issuer}`,
    until: opened('redirect_uri'),
  },
  { name: 'learning platforms', path: () => '/organization/platforms', until: opened('platform-row') },
  { name: 'new learning platform', path: () => '/organization/platforms/create', until: opened('platform-form') },
  {
    name: 'learning platform',
    path: ({ platform }) => `/organization/platforms/${platform}`,
    until: opened('remove-platform'),
  },
  { name: 'LTI 1.1', path: () => '/organization/platforms/bridge', until: opened('bridge-form') },
  { name: 'usage', path: () => '/organization/usage', until: opened('usage-row') },
  { name: 'limits and prices', path: () => '/organization/limits', until: opened('add-price') },
  { name: 'audit trail', path: () => '/organization/audit', until: opened('audit-entry') },
  { name: 'organizations', path: () => '/organization/organizations', until: opened('new-organization') },
  { name: 'external servers', path: () => '/organization/mcp', until: opened('new-mcp-server') },
  { name: 'keys of the organization', path: () => '/organization/api-keys', until: opened('new-key') },
  { name: 'help', path: () => '/help/limits', until: opened('help-page') },
  { name: 'keys', path: () => '/account/api-keys', until: opened('new-key') },
  { name: 'sessions', path: () => '/account/sessions', until: opened('session-row') },
  { name: 'migration', path: () => '/admin/migration', until: opened('dry-run-btn') },
  { name: 'batch of a migration', path: ({ batch }) => `/admin/migration/${batch}`, until: batchDone },
  { name: 'health', path: () => '/admin/health', until: opened('finding') },
  { name: 'signing in', path: () => '/sign-in', until: opened('api-key-input'), signedOut: true },
  { name: 'a code of a class', path: () => '/join', until: opened('join-code-input'), signedOut: true },
  { name: 'a link of a class', path: () => '/join/AAAAAAAA', until: opened('join-code-input'), signedOut: true },
];

/** Pages that nobody stops at, and why. */
const PASSED: Readonly<Record<string, string>> = {
  '/': 'It leads on to the list of assistants and has no control.',
  '/courses/[course]': 'Only a launch leads to it: courses.spec.ts goes through it by keyboard.',
  '/multi-tool-assistants': 'It is the list of assistants under the address it has elsewhere.',
};

const ROUTES = join(import.meta.dirname, '../src/routes');
const PAGE = '+page.svelte';

/** Routes as SvelteKit names them: `/rubrics/[id]`. */
const routes = (): string[] =>
  readdirSync(ROUTES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(PAGE))
    .map((file) => `/${file.slice(0, -PAGE.length)}`.replace(/(.)\/$/, '$1'))
    .sort();

/** The route of an address; one that says it in words goes before one that takes anything. */
function routeOf(address: string, known: readonly string[]): string | undefined {
  const [path = ''] = address.split('?');
  const takes = (route: string): boolean => new RegExp(`^${route.replace(/\[[^\]]+\]/g, '[^/]+')}$`).test(path);
  return known.includes(path) ? path : known.find(takes);
}

/** Uses an organization of its own: what is rewritten belongs to no other test. */
async function migrated(api: Api, url: string): Promise<string> {
  const slug = `keyboard-${Date.now().toString(36)}`;
  const email = `admin@${slug}.example.edu`;
  await api.post('/api/v1/organizations', { slug, name: 'Migrated', owner: { email, name: 'Ada' } });
  const scopes = ['read', 'write', 'chat', 'admin'];
  const { key } = await api.post('/api/v1/api-keys', { name: 'Content', scopes, owner: email, organization: slug });
  await apiOf({ url, key }).post('/api/v1/assistants', {
    name: 'Migrated',
    prompt_template: '{context} {user_input}',
    metadata: { rag_processor: 'simple_rag', connector: 'bypass' },
  });
  return (await api.post('/api/v1/admin/migrations', { to: 2, dry_run: false, org: slug })).id;
}

// Hundreds of keys, one after the other.
test.describe.configure({ timeout: 240_000 });

let made: Places;
test.beforeAll(async ({ api, service }) => {
  made = { ...(await somethingOfEverything(api)), batch: await migrated(api, service.url) };
});

test('no page is left out', () => {
  const known = routes();
  const visited = STOPS.map(({ path }) => routeOf(path(made), known));
  expect([...new Set([...visited, ...Object.keys(PASSED)])].sort()).toEqual(known);
});

/** Pages that share a browser: each would load the same scripts anew. */
const AT_ONCE = 8;

for (let from = 0; from < STOPS.length; from += AT_ONCE) {
  const stops = STOPS.slice(from, from + AT_ONCE);
  test(`every control is reached by keyboard: ${stops[0]?.name} and those after it`, async ({ page }) => {
    page.on('dialog', (dialog) => void dialog.accept());
    for (const { name, path, until, signedOut } of stops) {
      await test.step(name, async () => {
        if (signedOut) await page.context().clearCookies();
        await page.goto(path(made));
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await page.waitForLoadState('networkidle');
        await until?.(page);
        await unfold(page);
        await reachable(page, name);
        await menusReachable(page, 'main');
      });
    }
  });
}

test('menus of the header and dialogs by keyboard alone', async ({ page }) => {
  await page.goto('/assistants');
  await expect(page.getByTestId('assistants-list')).toBeVisible();
  await menusReachable(page, 'header:has([data-testid="main-nav"])', 9);
  for (const [menu, action, dialog] of [
    ['assistant-actions', 'action-share', 'share-dialog'],
    ['assistant-actions', 'action-versions', 'versions-dialog'],
    ['assistant-actions', 'action-publish', 'publication-dialog'],
  ] as const) {
    await page.getByTestId(menu).first().click();
    await expect(page.getByTestId(action)).toBeVisible();
    await page.getByTestId(action).press('Enter');
    await expect(page.getByTestId(dialog)).toBeVisible();
    await page.waitForLoadState('networkidle');
    await reachable(page, dialog, 'dialog[open]');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId(dialog)).toBeHidden();
  }

  await page.goto(`/multi-tool-assistants/${made.multiTool}`);
  for (const [n, choice] of ['choice-knowledge-base', 'choice-rubric', 'choice-file'].entries()) {
    await page.getByTestId('tool-card').nth(n).getByTestId('tool-configure').press('Enter');
    await expect(page.getByTestId(choice)).toBeVisible();
    await reachable(page, choice, 'dialog[open]');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('tool-dialog')).toBeHidden();
  }
});
