import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolInfo } from '$lib/app/catalogues/assistant';
import { functionsOf, Pipeline } from './pipeline.svelte';

const info = (name: string, placeholder: string | null, schema: object = {}): ToolInfo => ({
  name,
  placeholder,
  display_name: name,
  description: '',
  texts: {},
  role: 'other',
  evidence: 'found',
  category: '',
  version: '1',
  kind: 'pipeline',
  icon: 'x',
  allow_multiple: true,
  config_schema: schema as ToolInfo['config_schema'],
  parameters: {},
  examples: [],
  capabilities: [],
  limitations: [],
  cost: { unit: 'none', estimate: 0 },
  stats: { calls: null, failure_rate: null, avg_ms: null, p95_ms: null, confidence: null },
});
const CATALOGUE = [
  info('simple_rag', 'context', {
    properties: { collections: { default: [] }, top_k: { default: 3 }, mode: {}, hint: { default: null } },
    required: ['collections'],
  }),
  info('rubric_rag', 'rubric'),
  info('single_file_rag', 'file'),
  info('no_rag', null),
];
const tool = (plugin: string, placeholder: string, more: object = {}) => ({
  plugin,
  placeholder,
  enabled: true,
  config: {},
  ...more,
});
const course = tool('simple_rag', '1_context');
const research = tool('simple_rag', '2_context');
const rubric = tool('rubric_rag', '3_rubric');
const open = (tools: readonly object[], template = '') =>
  Pipeline.of({ assistant_type: 'multi_tool', tools }, template, CATALOGUE);
const keyAt = (pipeline: Pipeline, index: number): number => pipeline.tools[index]?.key ?? -1;
const move = (pipeline: Pipeline, from: number, to: number): void =>
  pipeline.apply(pipeline.planMove(keyAt(pipeline, from), to));
const placeholders = (pipeline: Pipeline) => pipeline.tools.map(({ placeholder }) => placeholder);

describe('moving a tool', () => {
  it('exchanges the slots of two tools of one type', () => {
    const pipeline = open([course, research, rubric], 'A={1_context} B={2_context} C={3_rubric}');
    move(pipeline, 0, 1);
    expect(pipeline.template).toBe('A={2_context} B={1_context} C={3_rubric}');
    expect(placeholders(pipeline)).toEqual(['1_context', '2_context', '3_rubric']);
  });

  it('renames by tool where the types differ, and tells the renames', () => {
    const pipeline = open([course, research, rubric], '{1_context}{2_context}{3_rubric}');
    const change = pipeline.planMove(keyAt(pipeline, 2), 1);
    expect(change.template).toBe('{1_context}{3_context}{2_rubric}');
    expect(change.renames).toEqual(
      expect.arrayContaining([
        { from: '3_rubric', to: '2_rubric' },
        { from: '2_context', to: '3_context' },
      ]),
    );
    expect(change.renames).toHaveLength(2);
  });

  it('leaves LaTeX, JSON and foreign braces alone', () => {
    const text = String.raw`$\frac{2_a}{3}$ {"k": {}} {{2_context} {2_other} {user_input}`;
    const pipeline = open([course, research], text);
    move(pipeline, 0, 1);
    expect(pipeline.template).toBe(text.replace('{2_context}', '{1_context}'));
  });

  it('counts switched off tools and tools without a placeholder', () => {
    const none = { plugin: 'no_rag', enabled: true, config: {} };
    const pipeline = open([course, { ...research, enabled: false }, none, rubric], '{1_context}{2_context}{3_rubric}');
    move(pipeline, 0, 3);
    expect(placeholders(pipeline)).toEqual(['1_context', null, '3_rubric', '4_context']);
    expect(pipeline.template).toBe('{4_context}{1_context}{3_rubric}');
    expect(pipeline.toTools()[1]).toEqual(none);
  });

  it('takes dependencies and conditions along', () => {
    const when = {
      and: [
        { var: 'results.1_context.ok' },
        { '==': [{ var: ['results.2_context', '1_context'] }, 'results.1_context'] },
      ],
    };
    const pipeline = open([course, research, { ...rubric, depends_on: ['1_context', 'x'], when }]);
    move(pipeline, 0, 1);
    expect(pipeline.tools[2]?.extra).toEqual({
      depends_on: ['2_context', 'x'],
      when: {
        and: [
          { var: 'results.2_context.ok' },
          { '==': [{ var: ['results.1_context', '1_context'] }, 'results.1_context'] },
        ],
      },
    });
  });

  it('marks what stood in the template without a tool instead of filling it', () => {
    const pipeline = open([course, rubric], '{1_context} {2_rubric} {3_rubric}');
    move(pipeline, 1, 1);
    expect(pipeline.template).toBe('{1_context} {removed_2_rubric} {2_rubric}');
  });

  it('keeps the type of a tool that is not installed', () => {
    const pipeline = open([course, tool('gone', '2_notes')], '{2_notes}{1_context}');
    move(pipeline, 0, 1);
    expect(pipeline.template).toBe('{1_notes}{2_context}');
  });

  it('gives the original back for all orders of five tools when each move is taken back', () => {
    const types = ['simple_rag', 'simple_rag', 'rubric_rag', 'simple_rag', 'single_file_rag'];
    const slots = ['1_context', '2_context', '3_rubric', '4_context', '5_file'];
    const tools = types.map((plugin, index) => tool(plugin, slots[index] ?? '', { id: `tool ${index}` }));
    const template = slots.map((slot, index) => `tool ${index}: {${slot}}`).join('\n');
    const orders = permutations([0, 1, 2, 3, 4]);
    expect(orders).toHaveLength(120);
    for (const order of orders) {
      const pipeline = open(tools, template);
      const keys = pipeline.tools.map(({ key }) => key);
      for (const [position, original] of order.entries())
        pipeline.apply(pipeline.planMove(keys[original] ?? -1, position));
      // Every line still names the slot of the tool that it is about.
      for (const entry of pipeline.tools)
        expect(pipeline.template).toContain(`${String(entry.extra['id'])}: {${entry.placeholder}}`);
      for (const [position, key] of keys.entries()) pipeline.apply(pipeline.planMove(key, position));
      expect(pipeline.template).toBe(template);
      expect(pipeline.toTools()).toEqual(tools);
    }
  });
});

describe('removing a tool', () => {
  const contexts = [course, research, tool('simple_rag', '3_context')];
  const template = 'A={1_context} B={2_context} C={3_context}';

  it('marks its slots and keeps the numbers of the others', () => {
    const pipeline = open(contexts, template);
    pipeline.apply(pipeline.planRemove(keyAt(pipeline, 1), 'mark'));
    expect(pipeline.template).toBe('A={1_context} B={removed_2_context} C={3_context}');
    expect(placeholders(pipeline)).toEqual(['1_context', '3_context']);
    expect(pipeline.slots).toContainEqual({ name: 'removed_2_context', state: 'undefined' });
    expect(pipeline.add('simple_rag').placeholder).toBe('4_context');
  });

  it('deletes its slots when asked to', () => {
    const pipeline = open(contexts, template);
    const change = pipeline.planRemove(keyAt(pipeline, 1), 'delete');
    expect(change.template).toBe('A={1_context} B= C={3_context}');
    expect(change.renames).toEqual([{ from: '2_context', to: null }]);
  });

  it('ends dependencies on it; a condition on it stays, on a name that no tool gets', () => {
    const pipeline = open([course, { ...rubric, depends_on: ['1_context'], when: { var: 'results.1_context.ok' } }]);
    pipeline.apply(pipeline.planRemove(keyAt(pipeline, 0), 'delete'));
    expect(pipeline.tools[0]?.extra).toEqual({ depends_on: [], when: { var: 'results.removed_1_context.ok' } });
  });

  it('leaves no name of a tool that is not installed as text in the prompt', () => {
    const pipeline = open([tool('gone', '1_notes')], 'a{1_notes}b');
    expect(pipeline.planRemove(keyAt(pipeline, 0), 'mark').template).toBe('ab');
  });

  it('never lets another tool fill the slot, whatever happens afterwards', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('move' as const), at: fc.nat(5), to: fc.nat(5) }),
        fc.record({ kind: fc.constant('add' as const), plugin: fc.constantFrom('simple_rag', 'rubric_rag', 'no_rag') }),
        fc.record({ kind: fc.constant('remove' as const), at: fc.nat(5), orphans: fc.constantFrom('mark', 'delete') }),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(steps, (made) => {
        const pipeline = open(
          contexts,
          contexts.map(({ placeholder }, index) => `#${index}={${placeholder}}`).join('\n'),
        );
        const lines = new Map(pipeline.tools.map(({ key }, index) => [key, `#${index}`]));
        for (const step of made) {
          if (step.kind === 'add') pipeline.add(step.plugin);
          if (step.kind === 'move') move(pipeline, step.at, step.to);
          if (step.kind === 'remove')
            pipeline.apply(pipeline.planRemove(keyAt(pipeline, step.at), step.orphans as 'mark' | 'delete'));
        }
        const filled = new Set(pipeline.tools.map(({ placeholder }) => placeholder));
        for (const [key, line] of lines) {
          const slot = new RegExp(`^${line}=(?:\\{(.*)\\})?$`, 'm').exec(pipeline.template)?.[1];
          const own = pipeline.find(key)?.placeholder;
          if (own === undefined) expect(filled.has(slot ?? '')).toBe(false);
          else expect(slot).toBe(own);
        }
        expect(new Set(placeholders(pipeline).filter((name) => name !== null)).size).toBe(
          placeholders(pipeline).filter((name) => name !== null).length,
        );
      }),
    );
  });
});

describe('undo and redo', () => {
  it('have no step for what changes nothing', () => {
    const pipeline = open([course, research], '{1_context}');
    move(pipeline, 1, 1);
    pipeline.configure(keyAt(pipeline, 0), { config: {} });
    pipeline.edit('{1_context}');
    expect(pipeline.canUndo).toBe(false);
  });

  it('take settings that are dragged along as one step, and name what they take back', () => {
    const pipeline = open([course, research], '{1_context}');
    for (const top_k of [1, 2, 3]) pipeline.configure(keyAt(pipeline, 0), { config: { top_k } });
    expect(pipeline.undoText).toBe('template.step.configure');
    pipeline.undo();
    expect([pipeline.canUndo, pipeline.tools[0]?.config]).toEqual([false, {}]);
  });

  it('give back exactly what was there, tools and template together', () => {
    const actions = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('edit' as const), text: fc.string() }),
        fc.record({ kind: fc.constant('move' as const), at: fc.nat(3), to: fc.nat(3) }),
        fc.record({ kind: fc.constant('toggle' as const), at: fc.nat(3) }),
        fc.record({ kind: fc.constant('configure' as const), at: fc.nat(3), top: fc.nat() }),
        fc.record({ kind: fc.constant('add' as const) }),
      ),
      { maxLength: 20 },
    );
    const seen = (pipeline: Pipeline): string => JSON.stringify([pipeline.toTools(), pipeline.template]);
    fc.assert(
      fc.property(actions, (made) => {
        const pipeline = open([course, research, rubric], '{1_context}{2_context}{3_rubric}');
        const first = seen(pipeline);
        for (const action of made) {
          if (action.kind === 'edit') pipeline.edit(action.text, 'a step');
          if (action.kind === 'move') move(pipeline, action.at, action.to);
          if (action.kind === 'toggle') pipeline.toggle(keyAt(pipeline, action.at));
          if (action.kind === 'configure')
            pipeline.configure(keyAt(pipeline, action.at), { config: { top_k: action.top } });
          if (action.kind === 'add') pipeline.add('simple_rag');
        }
        const last = seen(pipeline);
        while (pipeline.canUndo) pipeline.undo();
        expect(seen(pipeline)).toBe(first);
        while (pipeline.canRedo) pipeline.redo();
        expect(seen(pipeline)).toBe(last);
      }),
    );
  });
});

describe('the slots of the template', () => {
  it('are used, unused or undefined, with the tool that they belong to', () => {
    const pipeline = open([course, { ...research, enabled: false }, rubric], '{1_context}{2_context}{context}');
    expect(pipeline.slots).toEqual([
      { name: '1_context', state: 'used', key: 1, title: 'simple_rag' },
      { name: '3_rubric', state: 'unused', key: 3, title: 'rubric_rag' },
      { name: 'user_input', state: 'unused' },
      { name: '2_context', state: 'undefined', key: 2, title: 'simple_rag' },
      { name: 'context', state: 'undefined' },
    ]);
  });

  it('follow switching a tool off and on', () => {
    const pipeline = open([course], '{1_context}{user_input}');
    pipeline.toggle(1);
    expect(pipeline.slots.map(({ state }) => state)).toEqual(['used', 'undefined']);
    pipeline.enable(1);
    expect(pipeline.slots.map(({ state }) => state)).toEqual(['used', 'used']);
  });

  it('are not those of a tool that looks at the finished answer', () => {
    const pipeline = open([{ ...course, config: { checks: 'answer' } }], '{1_context}');
    expect(pipeline.slots[1]).toMatchObject({ name: '1_context', state: 'undefined', key: 1, later: true });
  });
});

describe('reading and writing the document', () => {
  it('gives back what it read, unknown keys and unknown tools too', () => {
    const tools = [
      { ...course, config: { top_k: 2, odd: [1] }, on_error: 'fail', future: { a: 1 } },
      { ...tool('gone', '7_notes'), timeout_ms: 5 },
    ];
    expect(open(tools).toTools()).toEqual(tools);
  });

  it('numbers a version 2 document and its template as the service does', () => {
    const metadata = {
      tools: [
        { type: 'simple_rag', enabled: true, config: {} },
        { type: 'rubric', enabled: false, config: { rubric_id: 'r' } },
        { type: 'simple_rag', config: {}, placeholder: 'context' },
        'weather',
        7,
        { type: 'assistant', assistant_id: 1 },
      ],
    };
    const pipeline = Pipeline.of(metadata, '{context} {rubric} {user_input}', CATALOGUE);
    expect(placeholders(pipeline)).toEqual(['1_context', '2_rubric', '3_context']);
    expect(pipeline.tools[1]?.plugin).toBe('rubric_rag');
    expect(pipeline.template).toBe('{1_context}{3_context} {2_rubric} {user_input}');
    expect(pipeline.canUndo).toBe(false);
    expect(functionsOf({ ...metadata, functions: ['moodle', { type: 'rubric', rubric_id: 'r' }] })).toEqual([
      'weather',
      { type: 'assistant', assistant_id: 1 },
      'moodle',
      { type: 'rubric', rubric_id: 'r' },
    ]);
  });

  it('gives a new tool the highest number + 1 and the defaults of its schema', () => {
    const pipeline = open([tool('simple_rag', '4_context')]);
    const entry = pipeline.add('simple_rag');
    expect(entry).toMatchObject({ placeholder: '5_context', config: { collections: [], top_k: 3 }, enabled: true });
    expect(pipeline.add('no_rag').placeholder).toBeNull();
  });
});

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

describe('a template that nobody wrote', () => {
  it('follows the tools: added, moved, switched off and removed, each in one step of the history', () => {
    const pipeline = open([], '{user_input}');
    const material = 'Course material:\n\n';
    const question = '\n\nQuestion:\n\n{user_input}';
    pipeline.add('simple_rag');
    pipeline.add('rubric_rag');
    expect(pipeline.template).toBe(`${material}{1_context}\n\nRubric:\n\n{2_rubric}${question}`);
    move(pipeline, 1, 0);
    expect(pipeline.template).toBe(`Rubric:\n\n{1_rubric}\n\n${material}{2_context}${question}`);
    pipeline.toggle(keyAt(pipeline, 0));
    expect(pipeline.template).toBe(`${material}{2_context}${question}`);
    pipeline.undo();
    pipeline.apply(pipeline.planRemove(keyAt(pipeline, 0), 'mark'));
    expect(pipeline.template).toBe(`${material}{2_context}${question}`);
    for (let step = 0; step < 4; step++) pipeline.undo();
    expect([pipeline.template, pipeline.tools]).toEqual(['{user_input}', []]);
  });

  it('keeps its form, labels or none, and takes the name that the author gave a tool', () => {
    const bare = open([course], '{1_context}\n\n{user_input}');
    bare.add('rubric_rag');
    expect(bare.template).toBe('{1_context}\n\n{2_rubric}\n\n{user_input}');
    const named = open([course], 'Material del curso:\n\n{1_context}\n\nPregunta:\n\n{user_input}');
    named.configure(keyAt(named, 0), { extra: { label: 'Libro {2_rubric}' } });
    expect(named.template).toBe('Libro 2_rubric:\n\n{1_context}\n\nPregunta:\n\n{user_input}');
  });

  it('is no more automatic once it is edited, and is again when its text is put back', () => {
    const pipeline = open([course], '{1_context}\n\n{user_input}');
    pipeline.edit('Course: {1_context}\n\n{user_input}');
    pipeline.add('rubric_rag');
    expect(pipeline.template).toBe('Course: {1_context}\n\n{user_input}');
    pipeline.edit(pipeline.automatic, 'automatic');
    expect(pipeline.isAutomatic).toBe(true);
  });
});

describe('inserting a template', () => {
  it('brings the tools of its slots as one step, numbered behind those that are there', () => {
    const pipeline = open([course], '{1_context}');
    expect(pipeline.insert('{1_context} {3_context} {2_rubric} {2_rubric} {user_input}', 'Inserted')).toBe(2);
    expect(pipeline.tools.map(({ plugin, placeholder }) => [plugin, placeholder])).toEqual([
      ['simple_rag', '1_context'],
      ['rubric_rag', '2_rubric'],
      ['simple_rag', '3_context'],
    ]);
    expect(pipeline.slots.every(({ state }) => state === 'used')).toBe(true);
    pipeline.undo();
    expect([placeholders(pipeline), pipeline.template]).toEqual([['1_context'], '{1_context}']);
  });

  it('leaves slots empty that the next tool would not fill', () => {
    const pipeline = open([course], '{1_context}');
    expect(pipeline.insert('{1_context} {4_file} {nobody}', 'Inserted')).toBe(0);
    expect(placeholders(pipeline)).toEqual(['1_context']);
  });
});
