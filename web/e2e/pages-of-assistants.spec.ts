// Every page of assistants and runs, in every language and both colour schemes.
import { type Api, expect, shot, test } from './support/fixtures';
import { holdEverywhere } from './support/pages';

test('pages of assistants, their playground and their runs hold in every language', async ({ page, api }) => {
  test.setTimeout(180_000);
  const { classic, multiTool, run } = await fill(api);
  const pages = [
    ['assistants', '/assistants'],
    ['multi-tool-assistants', '/multi-tool-assistants'],
    ['assistant-type', '/assistants/new'],
    ['classic-create', '/assistants/create'],
    ['classic', `/assistants/${classic}`],
    ['classic-view', `/assistants/${classic}?view`],
    ['multi-tool-create', '/multi-tool-assistants/create'],
    ['multi-tool', `/multi-tool-assistants/${multiTool}`],
    ['multi-tool-view', `/multi-tool-assistants/${multiTool}?view`],
    ['playground', `/playground/${multiTool}`],
    ['runs', '/runs'],
    ['run', `/runs/${run}`],
    ['not-found', '/no-such-page'],
  ] as const;
  for (const [name, path] of pages)
    await test.step(name, async () => {
      await holdEverywhere(page, name, path);
      if (!path.endsWith('/create')) return;
      // It came in two steps; the second one is there by now.
      await expect(page.getByTestId('checklist-btn')).toBeVisible();
      await shot(page, `${name}-whole`);
    });
});

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
    rubricId: 'rubric-essay',
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
  return { classic: one.id, multiTool: other.id, run: started.id };
}
