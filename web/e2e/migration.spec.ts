// Migration in an organization of its own: what it rewrites belongs to no other test.
import { apiOf, check, expect, shot, test } from './support/fixtures';

test('dry run with its differences, migration, verification and the way back', async ({ page, api, service }) => {
  const slug = `migration-${Date.now().toString(36)}`;
  const email = `admin@${slug}.example.edu`;
  await api.post('/api/v1/organizations', { slug, name: 'To migrate', owner: { email, name: 'Ada' } });
  const { key } = await api.post('/api/v1/api-keys', {
    name: 'Content',
    scopes: ['read', 'write', 'chat', 'admin'],
    owner: email,
    organization: slug,
  });
  const theirs = apiOf({ url: service.url, key });
  const make = (name: string, prompt_template: string): Promise<any> =>
    theirs.post('/api/v1/assistants', {
      name,
      prompt_template,
      metadata: { rag_processor: 'simple_rag', connector: 'bypass' },
    });
  const first = await make('First', 'Course: {context}\n\n{user_input}');
  const second = await make('Second', 'Notes: {context}\n\n{user_input}');
  await make('Stays', 'Course: {context} {rubric} {user_input}');

  await test.step('the dry run shows what would change and what would not', async () => {
    await page.goto('/admin/migration');
    await expect(page.locator(`[data-org="${slug}"]`)).toContainText('Version 1');
    await page.getByTestId('migration-org').selectOption(slug);
    await page.getByTestId('dry-run-btn').click();
    await expect(page.getByTestId('plan-migrate')).toHaveText('2');
    await expect(page.getByTestId('plan-failed')).toHaveText('1');
    await page.getByTestId('planned-rewrite').first().locator('summary').click();
    await expect(page.getByTestId('diff').first()).toContainText('{1_context}');
    await expect(page.getByTestId('planned-refusal')).toContainText('Stays');
    await check(page);
    await shot(page, 'migration-plan');
    expect((await theirs.get(`/api/v1/assistants/${first.id}`)).type).toBe('classic');
  });

  await test.step('the batch is followed to its end', async () => {
    await page.getByTestId('apply-btn').click();
    await check(page);
    await page.getByTestId('apply-confirm').click();
    await expect(page).toHaveURL(/\/admin\/migration\/[0-9a-f-]{36}/);
    await expect(page.getByTestId('batch-state')).toHaveAttribute('data-state', 'done', { timeout: 30_000 });
    await expect(page.getByTestId('count-migrated')).toHaveText('2');
    await expect(page.getByTestId('count-failed')).toHaveText('1');
    await page.getByTestId('item-filter').selectOption('failed');
    await expect(page.getByTestId('batch-item')).toHaveCount(1);
    await page.getByTestId('item-filter').selectOption('');
    await expect(page.getByTestId('batch-item')).toHaveCount(3);
    await expect(page.getByTestId('batch-item').first()).toContainText('First');
    await expect(page.getByTestId('batch-item').first()).toContainText('format 1 → 3');
    await expect(page.getByTestId('count-current')).toHaveText('0');
    await check(page);
    await shot(page, 'migration-batch');
    expect((await theirs.get(`/api/v1/assistants/${first.id}`)).type).toBe('multi_tool');
  });

  await test.step('verification', async () => {
    await page.getByTestId('verify-btn').click();
    await expect(page.getByTestId('batch-result')).toHaveAttribute('data-task', 'verify', { timeout: 30_000 });
    await expect(page.getByTestId('batch-result')).toContainText('2 of 2 verified');
  });

  await test.step('what was saved since is only overwritten when one says so', async () => {
    await theirs.patch(`/api/v1/assistants/${second.id}`, { description: 'Edited since' });
    await page.getByTestId('rollback-btn').click();
    await page.getByTestId('rollback-confirm').click();
    await expect(page.getByTestId('rollback-edited')).toContainText(`Assistant ${second.id}`);
    await expect(page.getByTestId('rollback-confirm')).toBeDisabled();
    await check(page);
    await page.getByTestId('rollback-force').check();
    await page.getByTestId('rollback-confirm').click();
    await expect(page.getByTestId('batch-state')).toHaveAttribute('data-state', 'rolled_back', { timeout: 30_000 });
    await expect(page.getByTestId('count-rolled-back')).toHaveText('2');
    const back = await theirs.get(`/api/v1/assistants/${first.id}`);
    expect([back.type, back.prompt_template]).toEqual(['classic', 'Course: {context}\n\n{user_input}']);
  });
});
