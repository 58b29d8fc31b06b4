import type { Page } from './fixtures';
import type { Made } from './something';

export interface Place {
  readonly name: string;
  /** One function for all places of a page. */
  readonly path: (made: Made) => string;
  /** Requests that fail. */
  readonly fails: string;
  /** Steps of the reader until the failure shows. */
  readonly until?: (page: Page) => Promise<void>;
  /** There once it could be fetched. */
  readonly shows: string;
  /** Asked for once: a page that has it is loaded anew. */
  readonly kept?: true;
}

const form = ({ multiTool }: Made): string => `/multi-tool-assistants/${multiTool}`;
const classic = ({ classic: id }: Made): string => `/assistants/${id}`;
const view = ({ multiTool }: Made): string => `/multi-tool-assistants/${multiTool}?view`;
const run = ({ run: id }: Made): string => `/runs/${id}`;
const migrations = (): string => '/admin/migration';
const playground = ({ multiTool }: Made): string => `/playground/${multiTool}`;
const byId = (testid: string): string => `[data-testid="${testid}"]`;
const press =
  (...testids: readonly string[]) =>
  async (page: Page): Promise<void> => {
    for (const testid of testids) await page.getByTestId(testid).first().click();
  };
const configure =
  (index: number) =>
  (page: Page): Promise<void> =>
    page.getByTestId('tool-card').nth(index).getByTestId('tool-configure').click();

const ASSISTANTS: readonly Place[] = [
  {
    name: 'the list',
    path: () => '/assistants',
    fails: '**/api/v1/assistants?*',
    shows: byId('assistants-list'),
  },
  {
    name: 'the first steps',
    path: () => '/assistants',
    fails: '**/api/v1/first-steps',
    shows: byId('assistants-list'),
  },
  {
    name: 'the recipes',
    path: () => '/assistants/new',
    fails: '**/api/v1/recipes',
    shows: byId('recipes'),
  },
  {
    name: 'a recipe',
    path: () => '/assistants/new/chapter-quiz',
    fails: '**/api/v1/recipes',
    shows: byId('recipe-form'),
  },
  {
    name: 'an old link',
    path: ({ multiTool }) => `/assistants?view=detail&id=${multiTool}`,
    fails: '**/api/v1/assistants/*',
    shows: byId('tools-manager'),
  },
  { name: 'an assistant', path: form, fails: '**/api/v1/assistants/*', shows: byId('tools-manager') },
  { name: 'what a form offers', path: form, fails: '**/api/v1/connectors', shows: byId('tools-manager') },
  {
    name: 'strategies',
    kept: true,
    path: form,
    fails: '**/api/v1/orchestrators',
    until: press('strategy-change'),
    shows: byId('strategy-sequential'),
  },
  {
    name: 'a plan',
    path: form,
    fails: '**/api/v1/assistants/*/plan',
    until: async (page) => {
      await page.getByTestId('plan-question').fill('Why?');
      await page.getByTestId('plan-show').click();
    },
    shows: byId('plan-step'),
  },
  {
    name: 'knowledge bases to choose from',
    kept: true,
    path: form,
    fails: '**/api/v1/knowledge-bases?*',
    until: configure(0),
    shows: `${byId('choice-knowledge-base')} input`,
  },
  {
    name: 'rubrics to choose from',
    kept: true,
    path: form,
    fails: '**/api/v1/rubrics?*',
    until: configure(1),
    shows: `${byId('choice-rubric')} input`,
  },
  {
    name: 'the preview of a rubric',
    path: form,
    fails: '**/render?*',
    until: async (page) => {
      await configure(1)(page);
      await page.getByRole('button', { name: 'As the model reads it' }).click();
    },
    shows: `${byId('rubric-preview')} pre`,
  },
  {
    name: 'the preview of a file',
    path: form,
    fails: '**/api/v1/files/*/text?*',
    until: configure(2),
    shows: `${byId('file-preview')} pre`,
  },
  {
    name: 'prompt templates',
    path: form,
    fails: '**/api/v1/prompt-templates?*',
    until: press('insert-template-btn'),
    shows: 'dialog[open] button:has-text("Insert")',
  },
  {
    name: 'a conversion',
    path: classic,
    fails: '**/convert?*',
    until: press('convert-btn'),
    shows: byId('convert-status'),
  },
  { name: 'the configuration', path: view, fails: '**/api/v1/connectors', shows: byId('template-text') },
  {
    name: 'what the class asks',
    path: ({ classic }) => `/assistants/${classic}/insights`,
    fails: '**/insights?*',
    shows: byId('insights'),
  },
  { name: 'figures', path: view, fails: '**/stats', shows: `${byId('statistics')} dl` },
];

const RUNS: readonly Place[] = [
  {
    name: 'the playground',
    path: playground,
    fails: '**/api/v1/assistants/*',
    shows: byId('question-input'),
  },
  {
    name: 'earlier runs',
    path: playground,
    fails: '**/api/v1/runs?*',
    until: (page) => page.getByTestId('history').locator('summary').click(),
    shows: byId('history-run'),
  },
  {
    name: 'the chat',
    path: ({ multiTool }) => `/chat/${multiTool}`,
    fails: '**/api/v1/assistants/*/chat',
    shows: byId('chat-input'),
  },
  {
    name: 'conversations',
    path: ({ multiTool }) => `/chat/${multiTool}`,
    fails: '**/api/v1/conversations?*',
    shows: byId('conversations'),
  },
  { name: 'runs', path: () => '/runs', fails: '**/api/v1/runs?*', shows: byId('run-row') },
  { name: 'a run', path: run, fails: '**/api/v1/runs/*', shows: byId('waterfall') },
  {
    name: 'a report',
    path: run,
    fails: '**/report*',
    until: press('tab-report'),
    shows: byId('report'),
  },
  {
    name: 'a comparison',
    path: ({ replay }) => `/replays/${replay}`,
    fails: '**/api/v1/replays/*',
    shows: byId('comparison-status'),
  },
];

const CONTENT: readonly Place[] = [
  {
    name: 'knowledge bases',
    path: () => '/knowledge-bases',
    fails: '**/api/v1/knowledge-bases?*',
    shows: 'main ul.rows > li',
  },
  {
    name: 'a knowledge base',
    path: ({ base }) => `/knowledge-bases/${base}`,
    fails: '**/api/v1/knowledge-bases/*',
    shows: byId('query-input'),
  },
  {
    name: 'documents',
    path: ({ base }) => `/knowledge-bases/${base}`,
    fails: '**/documents?*',
    shows: byId('document'),
  },
  { name: 'rubrics', path: () => '/rubrics', fails: '**/api/v1/rubrics?*', shows: 'main ul.rows > li' },
  {
    name: 'a rubric',
    path: ({ rubric }) => `/rubrics/${rubric}`,
    fails: '**/api/v1/rubrics/*',
    shows: byId('rubric-title'),
  },
  { name: 'files', path: () => '/files', fails: '**/api/v1/files?*', shows: 'main :text("retried.md")' },
  {
    name: 'prompt templates',
    path: () => '/prompt-templates',
    fails: '**/api/v1/prompt-templates?*',
    shows: 'main ul.rows > li',
  },
  {
    name: 'a prompt template',
    path: ({ template }) => `/prompt-templates/${template}`,
    fails: '**/api/v1/prompt-templates/*',
    shows: byId('template-name'),
  },
];

const ADMINISTRATION: readonly Place[] = [
  {
    name: 'the organization',
    path: () => '/organization',
    fails: '**/api/v1/organizations/*',
    shows: byId('features-form'),
  },
  { name: 'members', path: () => '/organization/members', fails: '**/members?*', shows: byId('member-row') },
  { name: 'groups', path: () => '/organization/groups', fails: '**/groups?*', shows: byId('group-row') },
  {
    name: 'tokens of a directory',
    path: () => '/organization/groups',
    fails: '**/scim/tokens',
    shows: byId('scim-address'),
  },
  {
    name: 'sign-in services',
    path: () => '/organization/sign-on',
    fails: '**/sign-on/issuers?*',
    shows: byId('issuer-row'),
  },
  {
    name: 'learning platforms',
    path: () => '/organization/platforms',
    fails: '**/lti/platforms?*',
    shows: byId('platform-row'),
  },
  {
    name: 'a learning platform',
    path: ({ platform }) => `/organization/platforms/${platform}`,
    fails: '**/lti/platforms/*',
    shows: byId('platform-form'),
  },
  {
    name: 'LTI 1.1',
    path: () => '/organization/platforms/bridge',
    fails: '**/lti/bridge',
    shows: byId('bridge-form'),
  },
  {
    name: 'keys of LTI 1.1',
    path: () => '/organization/platforms/bridge',
    fails: '**/lti/bridge/keys?*',
    shows: byId('empty'),
  },
  {
    name: 'the switch of local sign-in',
    path: () => '/organization/sign-on',
    fails: '**/api/v1/organizations/*',
    shows: byId('local-sign-in'),
  },
  {
    name: 'a sign-in service',
    path: ({ issuer }) => `/organization/sign-on/issuers/${issuer}`,
    fails: '**/api/v1/organizations/*/sign-on/issuers/*',
    shows: byId('issuer-form'),
  },
  {
    name: 'people of a sign-in service',
    path: ({ issuer }) => `/organization/sign-on/issuers/${issuer}`,
    fails: '**/people?*',
    shows: `${byId('people')} ${byId('empty')}`,
  },
  { name: 'usage', path: () => '/organization/usage', fails: '**/usage?*split*', shows: byId('usage-plot') },
  {
    name: 'a table of usage',
    path: () => '/organization/usage',
    fails: '**/usage?*limit=30*',
    shows: byId('usage-row'),
  },
  {
    name: 'standings of limits',
    path: () => '/organization/usage',
    fails: '**/usage/limits?*',
    shows: `${byId('standings')} ${byId('empty')}`,
  },
  { name: 'limits', path: () => '/organization/limits', fails: '**/api/v1/organizations/*', shows: byId('rules') },
  { name: 'the audit trail', path: () => '/organization/audit', fails: '**/audit?*', shows: byId('audit-entry') },
  {
    name: 'organizations',
    path: () => '/organization/organizations',
    fails: '**/api/v1/organizations?*',
    shows: byId('organization-row'),
  },
  { name: 'keys', path: () => '/account/api-keys', fails: '**/api/v1/api-keys?*', shows: byId('key-row') },
  {
    name: 'migrations',
    path: migrations,
    fails: '**/api/v1/admin/migrations?*',
    shows: 'main [data-org]',
  },
  {
    name: 'a dry run',
    path: migrations,
    fails: '**/api/v1/admin/migrations',
    until: press('dry-run-btn'),
    shows: byId('plan-migrate'),
  },
  { name: 'the health', path: () => '/admin/health', fails: '**/api/v1/admin/health', shows: byId('finding') },
  { name: 'who is there', path: () => '/assistants', fails: '**/api/v1/me', shows: byId('search-input') },
];

export const PLACES: Readonly<Record<string, readonly Place[]>> = {
  assistants: ASSISTANTS,
  runs: RUNS,
  content: CONTENT,
  administration: ADMINISTRATION,
};

export interface Part extends Omit<Place, 'fails'> {
  readonly until: (page: Page) => Promise<void>;
}

/** Parts whose script comes when they are first wanted. */
export const PARTS: readonly Part[] = [
  { name: 'settings of a tool', path: form, until: configure(0), shows: byId('tool-dialog') },
  {
    name: 'the question before a move',
    path: form,
    until: (page) => page.getByTestId('tool-card').first().getByTestId('tool-down').click(),
    shows: byId('rename-dialog'),
  },
  {
    name: 'the question before a removal',
    path: form,
    until: (page) => page.getByTestId('tool-card').first().getByTestId('tool-remove').click(),
    shows: byId('remove-dialog'),
  },
  { name: 'templates to insert', path: form, until: press('insert-template-btn'), shows: 'dialog[open]' },
  { name: 'keeping a template', path: form, until: press('save-template-btn'), shows: byId('keep-template-dialog') },
  { name: 'the strategies', path: form, until: press('strategy-change'), shows: byId('strategy-sequential') },
  {
    name: 'the editor of the template',
    path: classic,
    until: (page) => page.getByTestId('prompt-template').locator('summary').first().click(),
    shows: byId('template-editor'),
  },
  {
    name: 'a conversion',
    path: classic,
    until: press('convert-btn'),
    shows: byId('convert-dialog'),
  },
  { name: 'a prompt', path: run, until: press('tab-prompt'), shows: byId('prompt-filled') },
  { name: 'events', path: run, until: press('tab-events'), shows: byId('events') },
];
