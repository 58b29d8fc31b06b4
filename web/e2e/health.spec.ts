// The health of the installation, for system administrators.
import { apiOf, check, expect, shot, signIn, test } from './support/fixtures';
import { speak } from './support/languages';

const PATH = '**/api/v1/admin/health';

test('a system administrator sees what is well, what is not and what to do, in words', async ({ page }) => {
  await page.goto('/assistants');
  await page.getByTestId('nav-administration').click();
  await page.getByTestId('nav-health').click();
  await expect(page).toHaveURL(/\/admin\/health$/);
  const database = page.locator('[data-code="database.ok"]');
  await expect(database).toContainText(/PostgreSQL \d+\.\d+ answers in \d+ ms/);
  await expect(page.locator('[data-code="queue.ok"]')).toBeVisible();
  await check(page);
  await shot(page, 'health');
});

test('findings are worded in the reader’s language, and new after a further check', async ({ page }) => {
  const finding = (code: string, state: string, values: object, next: string | null = null, organization?: string) => ({
    ...{ code, state, values, next, organization: organization ?? null },
    text: `English words of ${code}`,
  });
  const findings = [
    finding('connection.key', 'error', { connection: 'providers.openai' }, 'Enter it', 'default'),
    finding('certificate.soon', 'warning', { host: 'learn.example.edu', days: 10, date: '2026-12-06' }, 'Renew it'),
    finding('check.failed', 'warning', { check: 'disk' }, 'Look'),
    finding('vectors.missing', 'notice', {}, 'Install it'),
    finding('moon.full', 'ok', {}),
  ];
  let report = { state: 'error', checked_at: '2026-11-26T08:00:00.000Z', findings };
  await page.route(PATH, (route) => route.fulfill({ json: report }));
  await page.goto('/admin/health');
  await expect(page.getByTestId('health-state')).toHaveText('Something does not work.');
  await expect(page.getByTestId('finding')).toHaveCount(findings.length);
  await expect(page.locator('[data-code="certificate.soon"]')).toContainText('ends in 10 days, on 6 Dec 2026');
  await expect(page.locator('[data-code="check.failed"]')).toContainText('The check “Disk” could not be made.');
  // The service is newer than the page.
  await expect(page.locator('[data-code="moon.full"]')).toContainText('English words of moon.full');
  await check(page);
  await shot(page, 'health-findings');

  await speak(page, 'es');
  const key = page.locator('[data-code="connection.key"]');
  await expect(key).toContainText('providers.openai rechaza la clave de la organización');
  await expect(key.getByTestId('next-step')).toContainText('Introduzca una clave nueva');
  await expect(key.getByRole('link')).toHaveAttribute('href', '/organization/providers');
  await check(page);

  report = {
    state: 'ok',
    checked_at: '2026-11-26T08:01:00.000Z',
    findings: [finding('disk.ok', 'ok', { megabytes: 1 })],
  };
  await page.getByTestId('check-again').click();
  await expect(page.getByTestId('health-state')).toHaveText('Todo funciona.');
  await expect(page.getByTestId('finding')).toHaveCount(1);
  await speak(page, 'en');
});

test('an administrator of one organization neither finds nor opens the page', async ({
  page,
  api,
  service,
  context,
}) => {
  const slug = `health-${Date.now().toString(36)}`;
  const email = `admin@${slug}.example.edu`;
  await api.post('/api/v1/organizations', { slug, name: 'Without health', owner: { email, name: 'Ada' } });
  const scopes = ['read', 'write', 'chat', 'admin'];
  const { key } = await api.post('/api/v1/api-keys', { name: 'Admin', scopes, owner: email, organization: slug });
  await expect(apiOf({ url: service.url, key }).get('/api/v1/admin/health')).rejects.toThrow(': 403 ');
  await signIn(context, service.url, key);
  await page.goto('/admin/health');
  await expect(page.getByTestId('admins-only')).toHaveText('Only system administrators see this page.');
  await page.getByTestId('nav-administration').click();
  await expect(page.getByTestId('nav-migration')).toBeVisible();
  await expect(page.getByTestId('nav-health')).toHaveCount(0);
});
