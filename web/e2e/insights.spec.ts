// What a class asks, and the way from a question that found nothing to a test of it.
import type { Locator } from '@playwright/test';
import { type Api, apiOf, check, expect, type Page, picture, shot, test, uncover } from './support/fixtures';

const QUESTION = 'How is the oral exam graded?';
/** The vendor counts 120 and 42 tokens for each answer: 3 cents. */
const PRICE = { provider: 'openai', model: 'gpt-4o-mini', from: '2020-01-01', input: 110, output: 400 };
const ORGANIZATION = '/api/v1/organizations/default';
const ANOTHER = 'Where are the slides of the first lecture?';

/** Members of the organization, each with a key. */
function people(api: Api, url: string, count: number): Promise<readonly Api[]> {
  const made = Array.from({ length: count }, async (_, at) => {
    const email = `class-${at}@example.edu`;
    await api.post('/api/v1/organizations/default/members', { email, name: `Student ${at}`, role: 'member' });
    const { key } = await api.post('/api/v1/api-keys', { name: email, scopes: ['chat', 'read'], owner: email });
    return apiOf({ url, key });
  });
  return Promise.all(made);
}

async function assistant(api: Api, name: string, base: string): Promise<number> {
  const { id } = await api.post('/api/v1/assistants', {
    name,
    prompt_template: '{1_context} {user_input}',
    metadata: {
      assistant_type: 'multi_tool',
      connector: 'openai',
      llm: 'gpt-4o-mini',
      tools: [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [base] } }],
    },
  });
  await api.put(`/api/v1/assistants/${id}/publication`);
  return id;
}

const ask = (who: Api, id: number, content: string): Promise<unknown> =>
  who.post(`/api/v1/assistants/${id}/completions`, { messages: [{ role: 'user', content }] });

const figure = (page: Page, name: string): Locator =>
  page
    .getByTestId('insights-figures')
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');
const numberOf = ({ questions }: { questions: number | null }): string => String(questions ?? 'not shown');

test('a teacher makes a test of a question that found nothing, and sees nothing of fewer than five people', async ({
  page,
  api,
  service,
}) => {
  const { prices } = await api.get(ORGANIZATION);
  await api.patch(ORGANIZATION, { prices: { currency: 'EUR', models: [PRICE] } });
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Handbook of the course' });
  const [asked, quiet] = [await assistant(api, 'Course guide', base.id), await assistant(api, 'Quiet guide', base.id)];
  const students = await people(api, service.url, 5);
  await Promise.all(students.flatMap((student) => [ask(student, asked, QUESTION), ask(student, asked, ANOTHER)]));
  await Promise.all(students.slice(1).map((student) => ask(student, quiet, QUESTION)));

  // Records are written behind the answers.
  await expect.poll(async () => (await api.get(`/api/v1/assistants/${asked}/insights`)).questions).toBe(10);

  await page.goto(`/multi-tool-assistants/${asked}?view`);
  await page.getByTestId('insights-link').click();
  const missed = page.getByTestId('missed-question').filter({ hasText: QUESTION });
  await expect(missed).toContainText('asked 5 times');
  await expect(page.getByTestId('insights-figures')).toContainText('People who asked');
  await expect(figure(page, 'Cost')).toHaveText('€0.30');
  await expect(figure(page, 'Cost of a question')).toHaveText('€0.03');
  await check(page);
  await shot(page, 'insights');
  await picture(page, 'what-the-class-asks', page.getByTestId('insights-missed'));
  await page.getByTestId('period-7').click();
  await expect(page).toHaveURL(/days=7/);
  await expect(missed).toBeVisible();
  await expect(missed.getByTestId('add-material')).toHaveAttribute('href', `/knowledge-bases/${base.id}`);

  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const told = await api.get(`/api/v1/assistants/${asked}/insights?days=7&time_zone=${encodeURIComponent(zone)}`);
  for (const name of ['days', 'hours'] as const) {
    const chart = page.getByTestId(`insights-${name}`);
    await chart.getByText('Show the numbers').click();
    await expect(chart.getByRole('cell')).toHaveText(told[name].map(numberOf));
  }

  // Nothing compares meanings here: the page says so, and an address that asks for it falls back to words.
  await expect(page.getByTestId('insights-groups')).toContainText('needs search by meaning');
  await expect(page.getByTestId('group-by-meaning')).toHaveCount(0);
  await page.goto(`/assistants/${asked}/insights?group_by=meaning`);
  await expect(page.getByText('there is no embedding model')).toBeVisible();
  await expect(page).toHaveURL(/group_by=words/);
  await expect(page.getByTestId('question-group').first()).toBeVisible();
  await uncover(page);

  await missed.getByTestId('make-test').click();
  await expect(page.getByTestId('test-dialog').getByTestId('test-question')).toHaveValue(QUESTION);
  await page.getByTestId('save-test').click();
  await expect(page.getByTestId('test-card')).toContainText(QUESTION);
  await expect(page).not.toHaveURL(/question=/);

  await page.goto(`/assistants/${quiet}/insights`);
  await expect(page.getByTestId('too-few')).toContainText('Fewer than 5 people');
  await expect(page.getByTestId('missed-question')).toHaveCount(0);
  await api.patch(ORGANIZATION, { prices: { currency: null, models: null, ...prices } });
});
