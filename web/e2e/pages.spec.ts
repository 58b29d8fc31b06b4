// Every page: no violation of WCAG 2.2 AA by axe, no sideways scrolling at 320 px, no error in the console, a picture.
import { type Api, check, expect, shot, test } from './support/fixtures';

const LOCALES = ['en', 'es', 'ca', 'eu'] as const;

let classic = 0;
let multiTool = 0;
let run = '';
let knowledgeBase = '';
let rubric = '';

test.describe.configure({ mode: 'serial' });

test.beforeAll(async ({ api }) => {
  const content = await fill(api);
  ({ classic, multiTool, run, knowledgeBase, rubric } = content);
});

const pages = (): readonly (readonly [string, string])[] => [
  ['assistants', '/assistants'],
  ['multi-tool-assistants', '/multi-tool-assistants'],
  ['assistant-type', '/assistants/new'],
  ['classic-create', '/assistants/create'],
  ['classic', `/assistants/${classic}`],
  ['multi-tool-create', '/multi-tool-assistants/create'],
  ['multi-tool', `/multi-tool-assistants/${multiTool}`],
  ['playground', `/playground/${multiTool}`],
  ['runs', '/runs'],
  ['run', `/runs/${run}`],
  ['knowledge-bases', '/knowledge-bases'],
  ['knowledge-base', `/knowledge-bases/${knowledgeBase}`],
  ['rubrics', '/rubrics'],
  ['rubric', `/rubrics/${rubric}`],
  ['files', '/files'],
  ['prompt-templates', '/prompt-templates'],
  ['organization', '/organization'],
  ['api-keys', '/account/api-keys'],
  ['migration', '/admin/migration'],
  ['not-found', '/no-such-page'],
];

test('every page holds in English, and has its picture', async ({ page }) => {
  test.setTimeout(240_000);
  for (const [name, path] of pages()) {
    await test.step(name, async () => {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      await page.waitForLoadState('networkidle');
      await check(page);
      await shot(page, name);
    });
  }
});

for (const locale of LOCALES.slice(1)) {
  test(`every page holds in ${locale}`, async ({ page }) => {
    test.setTimeout(180_000);
    await page.addInitScript((language) => localStorage.setItem('bellwether.locale', language), locale);
    for (const [name, path] of pages()) {
      await test.step(name, async () => {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
        expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale);
        await page.waitForLoadState('networkidle');
        await check(page);
      });
    }
  });
}

/** Something of everything, so that no page is empty. */
async function fill(api: Api) {
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Biology 101', description: 'Slides and papers' });
  await api.upload(`/api/v1/knowledge-bases/${base.id}/documents`, {
    'membranes.md': '# Membranes\n\nOsmosis moves water through a membrane.',
    'cells.md': '# Cells\n\nA cell has a membrane.',
  });
  const files = await api.upload('/api/v1/files', { 'syllabus.md': '# Syllabus\n\nWeek 1: cells.' });
  const level = (id: string, score: number) => ({ id, score, label: `Level ${score}`, description: `Does ${score}` });
  const made = await api.post('/api/v1/rubrics', {
    title: 'Essay evaluation',
    description: 'For first-year essays',
    metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z', subject: 'Biology' },
    criteria: ['Structure', 'Evidence'].map((name, index) => ({
      id: `criterion_${index}`,
      name,
      description: `${name} of the essay`,
      weight: 50,
      order: index,
      levels: [level(`l${index}1`, 1), level(`l${index}2`, 2)],
    })),
    scoringType: 'points',
    maxScore: 10,
  });
  const one = await api.post('/api/v1/assistants', {
    name: 'CS101 study helper',
    description: 'Answers questions about the course',
    prompt_template: 'Context: {context}\n\nQuestion: {user_input}',
    metadata: {
      prompt_processor: 'simple_augment',
      connector: 'openai',
      llm: 'gpt-4o-mini',
      rag_processor: 'simple_rag',
    },
    RAG_collections: [base.slug],
  });
  const other = await api.post('/api/v1/assistants', {
    name: 'Essay evaluator',
    description: 'Feedback by a rubric',
    system_prompt: 'You are a patient teacher.',
    prompt_template: 'Course: {1_context}\n\nRubric: {2_rubric}\n\nFile: {3_file}\n\nEssay: {user_input}',
    metadata: {
      _format_version: 3,
      assistant_type: 'multi_tool',
      orchestrator: 'parallel',
      connector: 'openai',
      llm: 'gpt-4o-mini',
      tools: [
        {
          plugin: 'simple_rag',
          placeholder: '1_context',
          enabled: true,
          config: { collections: [base.slug], top_k: 3 },
        },
        { plugin: 'rubric_rag', placeholder: '2_rubric', enabled: true, config: { rubric_id: made.id } },
        { plugin: 'single_file_rag', placeholder: '3_file', enabled: true, config: { file_path: files.items[0].path } },
      ],
    },
  });
  await api.post(`/api/v1/assistants/${one.id}/completions`, {
    messages: [{ role: 'user', content: 'What is osmosis?' }],
  });
  const started = await api.post(`/api/v1/assistants/${other.id}/runs`, {
    messages: [{ role: 'user', content: 'Please judge my essay on osmosis.' }],
  });
  await expect.poll(async () => (await api.get(`/api/v1/runs/${started.id}`)).status).toBe('completed');
  return { classic: one.id, multiTool: other.id, run: started.id, knowledgeBase: base.id, rubric: made.id };
}
