import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ToolInfo } from '$lib/app/catalogues/assistant';
import { i18n } from '$lib/kit/i18n/i18n.svelte';
import english from '$lib/kit/i18n/messages/pipeline.en.json';
import { announcer } from '$lib/kit/ui/announcer.svelte';
import { toasts } from '$lib/kit/ui/toasts.svelte';
import { Pipeline } from './pipeline.svelte';
import { moves, renamesText, ToolsManagerState } from './tools-manager.svelte';

const info = (name: string, display_name: string, placeholder: string | null, allow_multiple = true): ToolInfo =>
  ({ name, display_name, placeholder, allow_multiple, kind: 'pipeline', config_schema: {} }) as unknown as ToolInfo;
const CATALOGUE = [
  info('simple_rag', 'Knowledge Base RAG', 'context'),
  info('rubric_rag', 'Assessment Rubric', 'rubric'),
  info('no_rag', 'No Processing', null, false),
];
const TEMPLATE = 'A: {1_context} B: {2_context} C: {3_rubric} {user_input}';

const started = (template = TEMPLATE) => {
  const tools = ['1_context', '2_context', '3_rubric'].map((placeholder) => ({
    plugin: placeholder.endsWith('rubric') ? 'rubric_rag' : 'simple_rag',
    placeholder,
    enabled: true,
    config: { was: placeholder },
  }));
  const pipeline = Pipeline.of({ assistant_type: 'multi_tool', tools }, template, CATALOGUE);
  const manager = new ToolsManagerState(
    () => pipeline,
    () => CATALOGUE,
  );
  return { pipeline, manager, keys: pipeline.tools.map(({ key }) => key) as [number, number, number] };
};
const said = async (): Promise<string> => {
  await Promise.resolve();
  return announcer.message;
};

beforeEach(async () => {
  vi.stubGlobal('fetch', async () => Response.json(english));
  await i18n.start();
  moves.ask();
  toasts.items = [];
});

describe('moving a tool', () => {
  it('asks with the renames, then moves tools and template at once and tells of it', async () => {
    const { pipeline, manager, keys } = started();
    const moved = manager.move(keys[2], 1);
    expect(manager.question).toMatchObject({ kind: 'move', name: 'Assessment Rubric', from: 2, to: 1 });
    expect(pipeline.template).toBe(TEMPLATE);
    const { question } = manager;
    manager.answer(question?.kind === 'move' ? question.change : null);
    expect(await moved).toBe(true);
    expect(pipeline.template).toBe('A: {1_context} B: {3_context} C: {2_rubric} {user_input}');
    expect(await said()).toBe(
      'Assessment Rubric moved to position 2 of 3. {3_rubric} is now {2_rubric}. {2_context} is now {3_context}.',
    );
  });

  it('changes nothing when the answer is no', async () => {
    const { pipeline, manager, keys } = started();
    const before = pipeline.tools;
    const moved = manager.move(keys[2], 0);
    manager.answer(null);
    expect(await moved).toBe(false);
    expect([pipeline.tools, pipeline.template, pipeline.canUndo]).toEqual([before, TEMPLATE, false]);
    expect(await said()).toBe('Assessment Rubric stays at position 3 of 3.');
  });

  it('asks nothing when the template says nothing of it, or when nobody wants to be asked', async () => {
    const quiet = started('{user_input}');
    expect(await quiet.manager.move(quiet.keys[2], 0)).toBe(true);
    expect(quiet.pipeline.tools.map(({ placeholder }) => placeholder)).toEqual(['1_rubric', '2_context', '3_context']);
    moves.neverAsk();
    const { pipeline, manager, keys } = started();
    expect(await manager.move(keys[0], 1)).toBe(true);
    expect(pipeline.template).toBe('A: {2_context} B: {1_context} C: {3_rubric} {user_input}');
  });

  it('is taken back by the note about it, unless something changed since', async () => {
    moves.neverAsk();
    const { pipeline, manager, keys } = started();
    await manager.move(keys[0], 2);
    toasts.items[0]?.action?.run();
    expect(pipeline.template).toBe(TEMPLATE);
    await manager.move(keys[0], 2);
    pipeline.toggle(keys[1]);
    const { template } = pipeline;
    toasts.items.findLast(({ action }) => action !== undefined)?.action?.run();
    expect(pipeline.template).toBe(template);
    expect(toasts.items.at(-1)?.text).toContain('Other changes were made');
  });

  it('goes nowhere beyond the ends', async () => {
    const { manager, keys } = started();
    expect(await manager.move(keys[0], -1)).toBe(false);
    expect(await manager.move(keys[2], 3)).toBe(false);
    expect(await manager.move(keys[1], 1)).toBe(false);
  });
});

describe('removing a tool', () => {
  it('asks what becomes of its slots, and no other tool gets them', async () => {
    const { pipeline, manager, keys } = started();
    const removed = manager.remove(keys[1]);
    const { question } = manager;
    expect(question).toMatchObject({ kind: 'remove', name: 'Knowledge Base RAG' });
    manager.answer(question?.kind === 'remove' ? question.mark : null);
    expect(await removed).toBe(true);
    expect(pipeline.template).toBe('A: {1_context} B: {removed_2_context} C: {3_rubric} {user_input}');
    manager.undo();
    expect(pipeline.template).toBe(TEMPLATE);
    expect(pipeline.tools).toHaveLength(3);
  });

  it('asks nothing when nothing speaks of it', async () => {
    const { pipeline, manager, keys } = started('{user_input}');
    expect(await manager.remove(keys[1])).toBe(true);
    expect(pipeline.tools.map(({ placeholder }) => placeholder)).toEqual(['1_context', '3_rubric']);
  });
});

describe('adding a tool', () => {
  it('takes the next number and says so', async () => {
    const { pipeline, manager } = started();
    manager.add('rubric_rag');
    expect(pipeline.tools.at(-1)).toMatchObject({ plugin: 'rubric_rag', placeholder: '4_rubric', enabled: true });
    expect(await said()).toBe('Assessment Rubric added as {4_rubric}.');
  });

  it('is offered once for tools that make sense once', () => {
    const { manager } = started();
    const [search, , nothing] = CATALOGUE as [ToolInfo, ToolInfo, ToolInfo];
    expect([manager.canAdd(search), manager.canAdd(nothing)]).toEqual([true, true]);
    manager.add('no_rag');
    expect([manager.canAdd(search), manager.canAdd(nothing)]).toEqual([true, false]);
  });
});

it('tells of many renames shortly, the moved tool first', () => {
  const renames = [1, 2, 3, 4, 5, 6].map((n) => ({ from: `${n}_context`, to: `${n + 1}_context` }));
  expect(renamesText(renames, '3_context')).toMatch(/^\{3_context\} is now \{4_context\}\..* And 2 more\.$/);
});
