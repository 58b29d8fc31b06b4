// What a class asks, and the way from a question that found nothing to a test of it.
import { type Api, apiOf, check, expect, picture, shot, test, uncover } from './support/fixtures';

const QUESTION = 'How is the oral exam graded?';
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
      connector: 'bypass',
      tools: [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [base] } }],
    },
  });
  await api.put(`/api/v1/assistants/${id}/publication`);
  return id;
}

const ask = (who: Api, id: number, content: string): Promise<unknown> =>
  who.post(`/api/v1/assistants/${id}/completions`, { messages: [{ role: 'user', content }] });

test('a teacher makes a test of a question that found nothing, and sees nothing of fewer than five people', async ({
  page,
  api,
  service,
}) => {
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
  await check(page);
  await shot(page, 'insights');
  await picture(page, 'what-the-class-asks', page.getByTestId('insights-missed'));
  await page.getByTestId('period-7').click();
  await expect(page).toHaveURL(/days=7/);
  await expect(missed).toBeVisible();
  await expect(missed.getByTestId('add-material')).toHaveAttribute('href', `/knowledge-bases/${base.id}`);

  // Nothing compares meanings here: that is said, and the words stay.
  await page.getByTestId('group-by-meaning').click();
  await expect(page.getByText('there is no embedding model')).toBeVisible();
  await expect(page.getByTestId('group-by-words')).toHaveAttribute('aria-pressed', 'true');
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
});
