// Interaction to next paint with 50 tools and 20 kB of template, and frames while 2,000 tokens stream in.
import { expect, type Page, test } from '../e2e/support/fixtures';

const TOOLS = 50;
const TEMPLATE = 20_000;

test('interaction to next paint with 50 tools and 20 kB of template', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/assistants', {
    name: 'Large',
    prompt_template: template(),
    metadata: {
      _format_version: 3,
      assistant_type: 'multi_tool',
      orchestrator: 'sequential',
      connector: 'bypass',
      tools: Array.from({ length: TOOLS }, (_, n) => ({
        plugin: 'simple_rag',
        placeholder: `${n + 1}_context`,
        enabled: true,
        config: { collections: [], top_k: 3 },
      })),
    },
  });
  await page.goto(`/multi-tool-assistants/${id}?edit`);
  await expect(page.getByTestId('tool-card')).toHaveCount(TOOLS);
  // The editor comes when its place is about to be seen.
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const content = page.locator('.cm-content');
  await content.waitFor();

  await report(page, 'type in the template', async () => {
    await content.click();
    await page.keyboard.type('A question about {1_context} and more.', { delay: 30 });
  });
  await report(page, 'type in the name', async () => {
    await page.getByTestId('name-input').click();
    await page.keyboard.type('Another name', { delay: 30 });
  });
  await report(page, 'switch tools off and on', async () => {
    for (const n of [0, 10, 25, 49]) await page.getByTestId('tool-card').nth(n).getByRole('checkbox').first().click();
  });
});

test('frames while 2,000 tokens stream in', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/assistants', {
    name: 'Streamer',
    prompt_template: '{user_input}',
    metadata: { _format_version: 3, assistant_type: 'multi_tool', connector: 'openai', llm: 'gpt-4o-mini', tools: [] },
  });
  await page.goto(`/playground/${id}`);
  const question = page.getByTestId('question-input');
  await question.fill('a long answer');
  await page.evaluate(() => {
    const frames: number[] = [];
    (window as unknown as { frames: number[] }).frames = frames;
    let last = performance.now();
    const next = (now: number): void => {
      frames.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await page.getByTestId('ask-btn').click();
  await expect(page.getByText('word1999')).toBeVisible({ timeout: 120_000 });
  const frames = (await page.evaluate(() => (window as unknown as { frames: number[] }).frames)).slice(1);
  const sorted = [...frames].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  const late = frames.filter((ms) => ms > 50).length;
  console.log(
    `stream of 2,000 tokens: ${frames.length} frames, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, ` +
      `longest ${at(1)} ms, over 50 ms ${late} (${((100 * late) / frames.length).toFixed(1)} %)`,
  );
});

function template(): string {
  const slots = Array.from({ length: TOOLS }, (_, n) => `Part ${n + 1}: {${n + 1}_context}\n`).join('\n');
  const filler = 'Answer in clear sentences, $\\frac{a}{b}$, {"json": {}} and so on.\n';
  return `${slots}\n${filler.repeat(Math.ceil((TEMPLATE - slots.length) / filler.length))}{user_input}`;
}

/** Longest and median duration of the interactions that `work` makes, as the browser's Event Timing has them (8 ms steps). */
async function report(page: Page, name: string, work: () => Promise<void>): Promise<void> {
  await page.evaluate(() => {
    const seen: number[] = [];
    (window as unknown as { seen: number[] }).seen = seen;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if ((entry as unknown as { interactionId: number }).interactionId > 0) seen.push(entry.duration);
      }
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });
  await work();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const seen = (await page.evaluate(() => (window as unknown as { seen: number[] }).seen)).sort((a, b) => a - b);
  console.log(
    `${name}: ${seen.length} events of 16 ms and more, median ${seen[seen.length >> 1] ?? '< 16'} ms, ` +
      `longest ${seen.at(-1) ?? '< 16'} ms (goal 200)`,
  );
}
