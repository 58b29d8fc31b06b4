// An administrator connects a vendor of models: picks it, pastes the key, tests, ticks models, saves.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { check, expect, shot, test as base, picture } from './support/fixtures';

const ORGANIZATION = '/api/v1/organizations/default';
const KEY = 'sk-canary-of-providers';

/** Answers of a Moodle, a knowledge-base server and an embedding model at the same address. */
const OTHERS = [
  ['/webservice', { sitename: 'Campus', functions: [{ name: 'core_enrol_get_users_courses' }] }],
  ['/kb/collections', { collections: [{ id: 1 }, { id: 2 }] }],
  ['/v1/embeddings', { data: [{ index: 0, embedding: [0.6, 0.8, 0] }] }],
] as const;

interface Vendor {
  readonly url: string;
}

/** Lists 30 models to those who have the key. */
const test = base.extend<{ vendor: Vendor }>({
  vendor: async ({ api }, use) => {
    const server: Server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      const other = OTHERS.find(([path]) => request.url?.startsWith(path));
      if (other !== undefined) {
        response.end(JSON.stringify(other[1]));
        return;
      }
      if (request.headers['x-api-key'] !== KEY) {
        response.writeHead(401).end(JSON.stringify({ error: { message: 'invalid x-api-key' } }));
        return;
      }
      const data = Array.from({ length: 30 }, (_, at) => ({ id: `claude-${at}`, display_name: `Claude ${at}` }));
      response.end(JSON.stringify({ data }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await api.patch(ORGANIZATION, { providers: { anthropic: null, openai: null } });
  },
});

test('a vendor is picked, tested, and its models are ticked', async ({ page, api, vendor }) => {
  await page.goto('/organization/providers');
  await page.getByTestId('vendor-anthropic').check();
  const form = page.getByTestId('new-provider');
  await form.getByLabel('Base URL').fill(vendor.url);
  await form.getByLabel('API key').fill('wrong-key');
  await form.getByTestId('test-connection').click();
  await expect(form.getByTestId('test-outcome')).toContainText('The key was refused');
  await expect(form.getByTestId('test-outcome')).toContainText('invalid x-api-key');
  await check(page);
  await shot(page, 'provider-key-refused');

  await form.getByLabel('API key').fill(KEY);
  await form.getByTestId('test-connection').click();
  await expect(form.getByTestId('test-outcome')).toContainText('The provider offers 30 models.');
  await form.getByTestId('model-search').fill('claude-2');
  await form.getByLabel('claude-21').check();
  await form.getByTestId('model-search').fill('claude-7');
  await form.getByLabel('claude-7').check();
  await form.getByLabel('Other models').fill('claude-private');
  await form.getByTestId('new-provider-default').selectOption('claude-7');
  await check(page);
  await shot(page, 'provider-models');
  await picture(page, 'providers');
  await page.getByTestId('add-provider').click();

  const card = page.getByTestId('provider-anthropic');
  await expect(card.getByTestId('health')).toHaveAttribute('data-ok', 'true');
  await expect(card).toContainText('claude-7');
  await expect(card).toContainText('Teachers can choose 3 models');
  expect((await api.get(ORGANIZATION)).providers.anthropic).toMatchObject({
    api_key_configured: true,
    models: ['claude-21', 'claude-7', 'claude-private'],
    default_model: 'claude-7',
  });
  await check(page);
  await shot(page, 'provider-connected');
});

test('a refused address names its setting; a server that works is saved with a default model only', async ({
  page,
  api,
  vendor,
}) => {
  await page.goto('/organization/providers');
  await page.getByTestId('vendor-anthropic').check();
  const form = page.getByTestId('new-provider');
  await form.getByLabel('API key').fill(KEY);
  await form.getByLabel('Base URL').fill('http://169.254.169.254/v1');
  await page.getByTestId('add-provider').click();
  const refusal = form.getByText('OUTBOUND_ALLOW=169.254.169.254:80');
  // The model comes first: without one nothing would answer at a server of another host.
  await expect(refusal).toHaveCount(0);
  await form.getByTestId('new-provider-model').fill('claude-3');
  await page.getByTestId('add-provider').click();
  await expect(refusal).toBeVisible();
  await expect(form.getByTestId('problem')).toHaveCount(0);
  await expect(form.getByLabel('API key')).toHaveValue(KEY);
  await form.getByTestId('test-connection').click();
  await expect(form.getByTestId('test-outcome')).toContainText('OUTBOUND_ALLOW=host:port');
  expect((await api.get(ORGANIZATION)).providers.anthropic).toBeUndefined();

  await form.getByLabel('Base URL').fill(vendor.url);
  await form.getByTestId('test-connection').click();
  await expect(form.getByTestId('test-outcome')).toContainText('The provider offers 30 models.');
  await expect(refusal).toHaveCount(0);
  await page.getByTestId('add-provider').click();
  await expect(page.getByTestId('provider-anthropic')).toContainText('claude-3');
  expect((await api.get(ORGANIZATION)).providers.anthropic).toMatchObject({ models: [], default_model: 'claude-3' });
  // A provider that an API client stored without a model says what is missing.
  await api.patch(ORGANIZATION, { providers: { anthropic: { default_model: null } } });
  await page.reload();
  await expect(page.getByTestId('no-default')).toContainText('Choose a default model.');
});

test('Moodle, a knowledge-base server and an embedding model are tested on their pages', async ({
  page,
  api,
  vendor,
}) => {
  await page.goto('/organization');
  const moodle = page.getByTestId('moodle-form');
  await expect(moodle.getByTestId('test-connection')).toBeDisabled();
  await moodle.getByLabel('Address').fill(vendor.url);
  await moodle.getByLabel('Token').fill('of-moodle');
  await moodle.getByTestId('test-connection').click();
  await expect(moodle.getByTestId('test-outcome')).toContainText('The site is called “Campus”.');
  await expect(moodle.getByTestId('test-outcome')).toContainText('mod_assign_get_assignments');
  const server = page.getByTestId('knowledge_base-form');
  await server.getByLabel('Address').fill(`${vendor.url}/kb`);
  await server.getByTestId('test-connection').click();
  await expect(server.getByTestId('test-outcome')).toContainText('The server has 2 collections.');
  await check(page);
  await shot(page, 'servers-tested');
  await picture(page, 'servers', server);

  await api.patch(ORGANIZATION, { providers: { openai: { api_key: KEY, base_url: `${vendor.url}/v1` } } });
  page.once('dialog', (dialog) => void dialog.accept());
  await page.goto('/organization/providers');
  const card = page.getByTestId('provider-openai');
  await card.getByTestId('test-connection').first().click();
  // Its list needs another header than this vendor knows: its own words say so, and the card keeps them.
  await expect(card.getByTestId('test-outcome').first()).toContainText('invalid x-api-key');
  await expect(card.getByTestId('health')).toContainText('invalid x-api-key');
  await card.getByTestId('provider-settings').click();
  await card.getByRole('button', { name: 'Test embedding' }).click();
  await expect(card.getByText('Each vector has 3 dimensions.')).toBeVisible();
  expect((await api.get(ORGANIZATION)).moodle.api_url).toBeNull();
});
