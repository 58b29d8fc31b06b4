import type { Page } from '@playwright/test';
import { type Api, check, checkRules, expect, picture, shot, test } from './support/fixtures';

const MEMBRANES = '# Membranes\n\nOsmosis moves water through a membrane that lets the solute stay.\n';
const PRESSURE = '# Pressure\n\nThe osmotic pressure grows with the concentration of the solute.\n';

async function knowledgeBase(api: Api, name: string, files: Record<string, string>): Promise<string> {
  const base = await api.post('/api/v1/knowledge-bases', { name });
  await api.upload(`/api/v1/knowledge-bases/${base.id}/documents`, files);
  await expect
    .poll(
      async () =>
        (await api.get(`/api/v1/knowledge-bases/${base.id}/documents`)).items.map((one: any) => one.status).join(),
      { timeout: 20_000 },
    )
    .toBe('completed');
  return base.slug;
}

/** Asks two knowledge bases, one after the other or both at once. */
const make = (api: Api, name: string, orchestrator: string, slugs: readonly string[]): Promise<{ id: number }> =>
  api.post('/api/v1/assistants', {
    name,
    system_prompt: 'Cite as [n].',
    prompt_template: 'Membranes:{1_context}\nPressure:{2_context}\n$\\frac{a}{b}$ Question:{user_input}',
    metadata: {
      assistant_type: 'multi_tool',
      orchestrator,
      connector: 'openai',
      llm: 'gpt-4o-mini',
      capabilities: { vision: true },
      tools: slugs.map((slug, index) => ({
        plugin: 'simple_rag',
        placeholder: `${index + 1}_context`,
        enabled: true,
        config: { collections: [slug], top_k: 1, mode: 'keyword', sources_in_prompt: 'numbered' },
      })),
    },
  });

const RUNS = 20;

let tutor = 0;
let slugs: readonly string[] = [];
test.beforeAll(async ({ api }) => {
  slugs = [
    await knowledgeBase(api, 'Playground membranes', { 'membranes.md': MEMBRANES }),
    await knowledgeBase(api, 'Playground pressure', { 'pressure.md': PRESSURE }),
  ];
  tutor = (await make(api, 'Playground tutor', 'parallel', slugs)).id;
});

async function ask(page: Page, question: string): Promise<void> {
  await page.getByTestId('question-input').fill(question);
  await page.getByTestId('question-input').press('Enter');
}
/** Start and end, in milliseconds since the run began: two tools and the model. */
async function spansOf(page: Page): Promise<readonly (readonly [string | undefined, number, number])[]> {
  const spans = await lastRun(page)
    .getByTestId('span')
    .evaluateAll((found) =>
      found.map((one) => [one.dataset['kind'], Number(one.dataset['start']), Number(one.dataset['end'])] as const),
    );
  expect(spans.map(([kind]) => kind)).toEqual(['tool', 'tool', 'model']);
  return spans;
}
const lastRun = (page: Page) => page.getByTestId('run').last();
const ended = (page: Page, status = 'completed') => expect(lastRun(page)).toHaveAttribute('data-status', status);

test('a question is followed live, from the tools to the cited answer', async ({ page }) => {
  await page.goto(`/playground/${tutor}`);
  await ask(page, 'slow osmosis pressure of the membrane');
  await expect(page.getByTestId('span').first()).toBeVisible();
  await expect(lastRun(page)).toHaveAttribute('data-status', 'running');
  await expect(page.getByTestId('answer')).toContainText('step2');

  // The stream goes on where it was, from its beginning, after a reload.
  await page.reload();
  await expect(page.getByTestId('answer')).toContainText('step0 step1 step2');
  await page.getByTestId('composer-stop').click();
  await expect(page.getByTestId('question-input')).toBeFocused();
  await expect(page.getByTestId('cancelled')).toBeVisible();
  await ended(page, 'cancelled');

  await ask(page, 'osmosis pressure of the membrane');
  await ended(page);
  const spans = await spansOf(page);
  const [first, second, model] = spans;
  expect(second?.[1]).toBeLessThanOrEqual(first?.[2] ?? 0);
  expect(model?.[1]).toBeGreaterThanOrEqual(Math.max(first?.[2] ?? 0, second?.[2] ?? 0));
  await expect(lastRun(page).getByRole('heading', { name: 'An answer' })).toBeVisible();
  await expect(lastRun(page).locator('.katex').first()).toBeVisible();
  await check(page);
  await shot(page, 'playground-answer');
});

test('one after the other the tools do not overlap, both at once they do', async ({ page, api }) => {
  const { id } = await make(api, 'Playground in turn', 'sequential', slugs);
  for (const [assistant, question] of [
    [id, 'osmosis pressure of the membrane, in turn'],
    // Another question: what the cache answers takes no time.
    [tutor, 'osmosis pressure of the membrane, at once'],
  ] as const) {
    await page.goto(`/playground/${assistant}`);
    await ask(page, question);
    await ended(page);
    const tools = (await spansOf(page)).slice(0, 2).sort(([, one], [, other]) => one - other);
    const gap = (tools[1]?.[1] ?? 0) - (tools[0]?.[2] ?? 0);
    if (assistant === id) expect(gap, 'from the end of the first to the start of the second').toBeGreaterThanOrEqual(0);
    else expect(gap, 'from the end of the first to the start of the second').toBeLessThan(0);
  }
});

test('a stopped run closes the vendor’s connection', async ({ page, service }) => {
  await page.goto(`/playground/${tutor}`);
  await ask(page, 'slow cancelled osmosis');
  await expect(page.getByTestId('answer')).toContainText('step1');
  await page.getByTestId('composer-stop').click();
  await ended(page, 'cancelled');
  await expect.poll(() => service.seen.find(({ question }) => question.includes('slow cancelled'))?.aborted).toBe(true);
});

test('citations open their passage by pointer and keyboard; prompt and report show what the tools gave', async ({
  page,
}) => {
  await page.goto(`/playground/${tutor}`);
  await ask(page, 'osmosis pressure of the membrane');
  await ended(page);
  const citation = page.getByRole('button', { name: /^Source 1: / });
  const card = page.getByTestId('source-card');
  await citation.hover();
  await expect(card).toContainText('membranes.md');
  await expect(card.getByTestId('passage')).toContainText('Osmosis moves water');
  await page.keyboard.press('Escape');
  await expect(card).toHaveCount(0);
  await page.mouse.move(0, 0);
  await citation.focus();
  await page.keyboard.press('Enter');
  await expect(card).toBeFocused();
  await check(page);
  await page.keyboard.press('Escape');
  await expect(card).toHaveCount(0);
  await expect(citation).toBeFocused();

  await citation.click();
  await page.getByTestId('all-sources').click();
  const panel = page.getByTestId('sources-panel');
  await expect(panel.getByTestId('passage')).toHaveCount(2);
  await expect(panel.locator('mark').first()).toBeVisible();
  await check(page);
  await shot(page, 'playground-sources');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(citation).toBeFocused();

  await page.getByTestId('tab-prompt').click();
  const filled = page.getByTestId('prompt-filled');
  await expect(filled).toContainText('Osmosis moves water');
  await expect(filled.locator('mark[data-slot="user_input"]')).toHaveText('osmosis pressure of the membrane');
  await page.locator('[data-testid="prompt-slot"][data-slot="2_context"]').focus();
  await expect(filled.locator('mark[data-slot="2_context"]')).toHaveClass(/lit/);
  await check(page);
  await shot(page, 'playground-prompt');
  await page.getByTestId('tab-template').click();
  await expect(page.getByTestId('prompt-template')).toContainText('{1_context}');
  await expect(page.getByTestId('prompt-template')).toContainText('\\frac{a}{b}');
  await page.getByTestId('tab-diff').click();
  await expect(page.getByTestId('diff')).toContainText('Osmosis moves water');
  await page.getByTestId('tab-report').click();
  await expect(page.getByTestId('report')).toContainText('Multi-Tool Orchestration Report');

  await page.getByTestId('verbose-toggle').check();
  await ask(page, 'osmosis');
  await ended(page);
  await expect(page.getByTestId('answer').last()).toContainText('Multi-Tool Orchestration Report');

  await page.getByTestId('history').locator('summary').click();
  const chosen = page.getByTestId('history-run').getByRole('checkbox');
  await chosen.nth(0).check();
  await chosen.nth(1).check();
  await page.getByTestId('compare-btn').click();
  await expect(page.getByTestId('compare-total')).toBeVisible();
  await check(page);
  await shot(page, 'playground-compare');
});

test('a hostile answer runs nothing, loads nothing and leads nowhere', async ({ page }) => {
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(`/playground/${tutor}`);
  await ask(page, 'hostile');
  await ended(page);
  const answer = page.getByTestId('answer');
  await expect(answer).toContainText('pixel');
  await expect(answer.locator('img, iframe, form, input, style, script')).toHaveCount(0);
  await expect(answer.locator('a[href^="javascript"]')).toHaveCount(0);
  await expect(answer.locator('a', { hasText: 'pixel' })).toHaveAttribute('rel', /noopener/);
  expect(dialogs).toEqual([]);
});

test('a failure says what happened, and pictures can be asked about', async ({ page, service, api }) => {
  await page.goto(`/playground/${tutor}`);
  await ask(page, 'fail');
  await expect(page.getByTestId('run-error')).toHaveAttribute('data-code', 'upstream_error', { timeout: 20_000 });
  await expect(page.locator('[data-kind="model"]')).toHaveAttribute('data-status', 'failed');
  await expect(page.getByTestId('vendor-failure')).toContainText('out of order');
  const runId = await page.getByTestId('run').getAttribute('data-run-id');
  const { request_id: requestId } = await api.get(`/api/v1/runs/${runId}`);
  await expect(page.getByTestId('request-id')).toContainText(requestId);
  await page.getByTestId('edit-question').click();
  await expect(page.getByTestId('question-input')).toHaveValue('fail');
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await page
    .getByTestId('picture-input')
    .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') });
  await expect(page.getByRole('img', { name: 'dot.png' })).toBeVisible();
  await ask(page, 'what is in the picture');
  await ended(page);
  expect(service.seen.some(({ question }) => question.includes('what is in the picture'))).toBe(true);
});

test('runs are listed, filtered and opened', async ({ page, api }) => {
  const { id } = await api.post(`/api/v1/assistants/${tutor}/runs`, {
    messages: [{ role: 'user', content: 'osmosis' }],
  });
  await expect.poll(async () => (await api.get(`/api/v1/runs/${id}`)).status).toBe('completed');
  await page.goto('/runs');
  await page.getByTestId('assistant-filter').selectOption({ label: 'Playground tutor' });
  await expect(page).toHaveURL(new RegExp(`assistant=${tutor}`));
  await page.getByTestId('more-filters').click();
  await page.getByTestId('status-filter').selectOption('completed');
  await expect(page.getByTestId('run-row').first()).toContainText('Playground tutor');
  await page.getByTestId('question-filter').fill('osmosis');
  await expect(page).toHaveURL(/q=osmosis/);
  await check(page);
  await page.getByTestId('run-row').first().getByRole('link').click();
  await ended(page);
  await expect(page.getByTestId('run-again')).toHaveAttribute('href', /question=osmosis/);
  await page.getByTestId('open-step').first().click();
  await expect(page.getByTestId('step-details')).toContainText('Osmosis moves water');
  await page.getByTestId('open-step').last().click();
  await expect(page.getByTestId('step-details').last()).toContainText('Cite as [n].');
  await check(page);
  await page.getByTestId('tab-events').click();
  await expect(page.getByTestId('events')).toContainText('run.completed');
  await check(page);
  await shot(page, 'run-events');

  await page.getByTestId('run-repeat').click();
  await page.getByTestId('mode-recorded').check();
  await check(page);
  await page.getByTestId('replay-start').click();
  await expect(page.getByTestId('comparison-status')).toContainText('Completed', { timeout: 20_000 });
  await expect(page.getByTestId('compared-item')).toContainText('osmosis');
  await expect(page.getByTestId('compared-item').getByRole('link')).toHaveCount(2);
  await check(page);
  await shot(page, 'comparison');
});

test('twenty runs are asked again under another strategy, and compared', async ({ page, api }) => {
  // Limits of a person may make the last runs wait.
  test.setTimeout(150_000);
  const { id } = await make(api, 'Tutor of osmosis', 'sequential', slugs);
  const ask = (question: string): Promise<unknown> =>
    api.post(`/api/v1/assistants/${id}/completions`, { messages: [{ role: 'user', content: question }] });
  await ask('Which osmosis came first?');
  const questions = Array.from({ length: RUNS }, (_, n) => `Which membrane stops solute ${n + 1} in osmosis?`);
  await Promise.all(questions.map(ask));

  await page.goto(`/runs?assistant=${id}`);
  await page.getByTestId('repeat-runs').click();
  await page.getByLabel('Newest questions, at most').fill(String(RUNS));
  await page.getByTestId('replay-strategy').selectOption({ label: 'Parallel' });
  await picture(page, 'what-if');
  await page.getByTestId('replay-tool').selectOption('2_context');
  await page.getByRole('spinbutton', { name: 'Passages', exact: true }).fill('2');
  await page.getByTestId('unset-mode').check();
  await checkRules(page);
  await page.getByTestId('replay-start').click();
  const status = page.getByTestId('comparison-status');
  await expect(status).toContainText('Completed', { timeout: 90_000 });
  await expect(status).toContainText('20 of 20 done');
  await expect(page.getByTestId('comparison-changes')).toContainText(
    'Parallel · {2_context} Passages: 2 · {2_context} Search mode left out',
  );
  const sums = page.getByTestId('comparison-sums').getByRole('row');
  await expect(sums.filter({ hasText: 'Runs' })).toHaveText(/Runs\s*20\s*20/);
  await expect(sums.filter({ hasText: 'Failed' })).toHaveText(/Failed\s*0\s*0/);
  // The vendor counts 120 and 42 for each answer.
  await expect(sums.filter({ hasText: 'Tokens of prompts' })).toHaveText(/prompts\s*2,400\s*2,400/);
  await expect(sums.filter({ hasText: 'Tokens of answers' })).toHaveText(/answers\s*840\s*840/);
  const items = page.getByTestId('compared-item');
  await expect(items).toHaveCount(RUNS);
  await expect(items.filter({ hasText: 'came first' })).toHaveCount(0);
  const item = items.filter({ has: page.getByRole('heading', { name: questions[6] ?? '', exact: true }) });
  await expect(item.getByRole('link')).toHaveText([/^Sequential · gpt-4o-mini · /, /^Parallel · gpt-4o-mini · /]);
  await expect(item).toContainText('The same answer');
  await expect(item).toContainText('2 passages in both');
  await picture(page, 'comparison');
});

test('a receipt is verified in the browser, and refused once it is changed', async ({ page, api }) => {
  const { id } = await api.post(`/api/v1/assistants/${tutor}/runs`, {
    messages: [{ role: 'user', content: 'osmosis' }],
  });
  await expect.poll(async () => (await api.get(`/api/v1/runs/${id}`)).status).toBe('completed');
  const receipt = JSON.stringify(await api.get(`/api/v1/runs/${id}/receipt`));
  const keys = '**/.well-known/bellwether-receipt-keys.json';
  await page.route(keys, (route) => route.abort());
  await page.goto('/receipts');
  await page.getByTestId('receipt-text').fill(receipt);
  const result = page.getByTestId('receipt-result');
  await expect(result).toContainText('keys could not be loaded');
  await page.unroute(keys);
  await page.reload();
  await page.getByTestId('receipt-text').fill(receipt);
  await expect(result).toContainText('genuine');
  await page.getByTestId('compared-text').fill('osmosis');
  await expect(page.getByText('The receipt has this text in: Question')).toBeVisible();
  await check(page);
  await shot(page, 'receipt');
  await picture(page, 'receipt', result);
  await page.getByTestId('receipt-text').fill(receipt.replace('gpt-4o-mini', 'gpt-4o-maxi'));
  await expect(result).toContainText('The part “Model” was changed');
  await picture(page, 'receipt-refused');
});
