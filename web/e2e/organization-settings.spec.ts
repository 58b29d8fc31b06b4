// What an organization sets beside providers and features: MCP servers, limits.
import { check, expect, shot, test } from './support/fixtures';

const ORGANIZATION = '/api/v1/organizations/default';

test('an administrator adds an MCP server, whose token is never shown again, and removes it', async ({ page, api }) => {
  await page.goto('/organization');
  await page.getByRole('link', { name: 'MCP servers' }).click();
  await expect(page.getByTestId('empty')).toBeVisible();
  await check(page);
  const form = page.getByTestId('new-mcp-server');
  await page.getByTestId('mcp-name').fill('library');
  await page.getByTestId('mcp-url').fill('http://127.0.0.1:9/mcp');
  await page.getByTestId('mcp-token').fill('canary-mcp-web');
  // A port where nobody listens: the form tells so before anything is stored, the card afterwards.
  await form.getByTestId('test-connection').click();
  await expect(form.getByTestId('test-outcome')).toContainText('cannot be reached');
  await page.getByTestId('add-mcp-server').click();
  const card = page.getByTestId('mcp-library');
  await expect(card).toContainText('Token stored');
  await expect(card.getByTestId('health')).toHaveAttribute('data-ok', 'false');
  await expect(page.getByTestId('mcp-name')).toHaveValue('');
  await expect(page.getByTestId('mcp-token')).toHaveValue('');
  await expect(card.getByLabel('Token')).toHaveValue('');
  const server = async (): Promise<unknown> => (await api.get(ORGANIZATION)).mcp.servers.library;
  expect(await server()).toEqual({ url: 'http://127.0.0.1:9/mcp', enabled: true, token_configured: true });
  expect(await page.content()).not.toContain('canary-mcp-web');
  await check(page);
  await shot(page, 'organization-mcp');

  await card.getByLabel('Address').fill('http://127.0.0.1:9/other');
  await expect(card).toContainText('Changing the address deletes the saved key.');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(card.getByText('Token stored')).toHaveCount(0);
  expect(await server()).toEqual({ url: 'http://127.0.0.1:9/other', enabled: true, token_configured: false });

  await page.getByTestId('mcp-name').fill('library');
  await page.getByTestId('mcp-url').fill('http://127.0.0.1:9/third');
  await page.getByTestId('add-mcp-server').click();
  await expect(page.getByText('There is a server of that name already.')).toBeVisible();
  await page.getByTestId('mcp-name').fill('');
  await page.getByTestId('mcp-url').fill('');
  await card.getByRole('button', { name: 'Remove' }).click();
  await page.getByTestId('confirm-btn').click();
  await expect(card).toHaveCount(0);
  expect(await server()).toBeUndefined();
});

test('an address that the service does not dial is refused, and nothing typed is lost', async ({ page, api }) => {
  await page.goto('/organization/mcp');
  await page.getByTestId('mcp-name').fill('inside');
  await page.getByTestId('mcp-url').fill('http://169.254.169.254/mcp');
  await page.getByTestId('add-mcp-server').click();
  await expect(page.getByTestId('new-mcp-server').getByText('This service may not connect to 169.254')).toBeVisible();
  await expect(page.getByTestId('mcp-url')).toHaveValue('http://169.254.169.254/mcp');
  expect((await api.get(ORGANIZATION)).mcp.servers).toEqual({});

  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await expect(page).toHaveURL(/\/mcp$/);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await expect(page).toHaveURL(/\/members$/);
});

test('limits on calls by others are set and lifted within their bounds', async ({ page, api }) => {
  await page.goto('/organization');
  const card = page.getByTestId('limits');
  await card.getByTestId('limit-per_day').fill('500');
  await card.getByTestId('limit-per_assistant').fill('0');
  await card.getByRole('button', { name: 'Save' }).click();
  const limits = async (): Promise<unknown> => (await api.get(ORGANIZATION)).limits;
  await expect.poll(limits).toEqual({ assistant_calls: { per_day: 500, per_assistant: 0 } });

  await card.getByTestId('limit-per_day').fill('1000000001');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(card.locator('input:invalid')).toHaveCount(1);
  expect(await limits()).toEqual({ assistant_calls: { per_day: 500, per_assistant: 0 } });

  await card.getByTestId('limit-per_day').fill('');
  await card.getByTestId('limit-per_assistant').fill('');
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await expect(page).toHaveURL(/\/organization$/);
  await card.getByRole('button', { name: 'Save' }).click();
  await expect.poll(limits).toEqual({ assistant_calls: {} });
  await page.reload();
  await expect(card.getByTestId('limit-per_day')).toHaveValue('');
});
