// Everything by keyboard alone: on each page every control is reached, shows its focus, and is not covered then.
import { expect, type Page, test } from './support/fixtures';
import { menusReachable, reachable, unfold } from './support/keyboard';
import { type Made, somethingOfEverything } from './support/something';

interface Stop {
  readonly name: string;
  readonly path: (made: Made) => string;
  /** Makes everything appear that there is. */
  readonly until?: (page: Page) => Promise<void>;
}

const opened =
  (testid: string) =>
  async (page: Page): Promise<void> =>
    expect(page.getByTestId(testid).first()).toBeVisible();

/** The form whole, its editor of templates and the playground beside it. */
async function wholeForm(page: Page): Promise<void> {
  // Any sign of a reader brings the whole form of a new assistant.
  await page.getByTestId('name-input').focus();
  await page.getByTestId('playground-btn').click();
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

async function queried(page: Page): Promise<void> {
  await expect(page.getByTestId('document')).toBeVisible();
  await page.getByTestId('query-input').fill('water');
  await page.getByTestId('query-btn').click();
  await expect(page.getByTestId('passage').first()).toBeVisible();
}

const STOPS: readonly Stop[] = [
  { name: 'list', path: () => '/assistants', until: opened('assistants-list') },
  { name: 'choice of a type', path: () => '/assistants/new', until: opened('select-classic') },
  { name: 'new classic form', path: () => '/assistants/create', until: wholeForm },
  { name: 'classic form', path: ({ classic }) => `/assistants/${classic}`, until: wholeForm },
  { name: 'new multi-tool form', path: () => '/multi-tool-assistants/create', until: wholeForm },
  { name: 'pipeline', path: ({ multiTool }) => `/multi-tool-assistants/${multiTool}`, until: wholeForm },
  { name: 'view', path: ({ multiTool }) => `/multi-tool-assistants/${multiTool}?view`, until: opened('statistics') },
  { name: 'playground', path: ({ multiTool }) => `/playground/${multiTool}`, until: asked },
  { name: 'runs', path: () => '/runs', until: opened('run-row') },
  { name: 'run', path: ({ run }) => `/runs/${run}`, until: opened('tab-report') },
  { name: 'knowledge bases', path: () => '/knowledge-bases', until: opened('create-btn') },
  { name: 'new knowledge base', path: () => '/knowledge-bases/create', until: opened('kb-name-input') },
  { name: 'knowledge base', path: ({ base }) => `/knowledge-bases/${base}`, until: queried },
  { name: 'rubrics', path: () => '/rubrics' },
  { name: 'rubric', path: ({ rubric }) => `/rubrics/${rubric}`, until: opened('rubric-title') },
  { name: 'files', path: () => '/files', until: opened('upload-box') },
  { name: 'prompt templates', path: () => '/prompt-templates' },
  {
    name: 'prompt template',
    path: ({ template }) => `/prompt-templates/${template}`,
    until: opened('template-name'),
  },
  { name: 'overview', path: () => '/organization', until: opened('features-form') },
  { name: 'providers', path: () => '/organization/providers', until: opened('add-provider') },
  { name: 'members', path: () => '/organization/members', until: opened('member-row') },
  { name: 'audit trail', path: () => '/organization/audit', until: opened('audit-entry') },
  { name: 'organizations', path: () => '/organization/organizations', until: opened('new-organization') },
  { name: 'keys', path: () => '/account/api-keys', until: opened('new-key') },
  { name: 'migration', path: () => '/admin/migration', until: opened('dry-run-btn') },
];

// Hundreds of keys, one after the other.
test.describe.configure({ timeout: 120_000 });

let made: Made;
test.beforeAll(async ({ api }) => {
  made = await somethingOfEverything(api);
});

for (const { name, path, until } of STOPS) {
  test(`every control is reached by keyboard: ${name}`, async ({ page }) => {
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(path(made));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await until?.(page);
    await unfold(page);
    await reachable(page, name);
    await menusReachable(page, 'main');
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
