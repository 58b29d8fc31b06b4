import { describe, expect, it } from 'vitest';
import type { Metadata, ToolInfo } from '$lib/app/catalogues/assistant';
import { type DefinitionBody, NEW_CLASSIC, NEW_MULTI_TOOL } from './body';
import { ClassicProcessors } from '$lib/app/catalogues/classic-processors';
import { ClassicForm } from './classic-form.svelte';
import { MultiToolForm } from './multi-tool-form.svelte';

const tool = (name: string, placeholder: string | null): ToolInfo =>
  ({ name, placeholder, display_name: name, kind: 'pipeline', config_schema: {} }) as unknown as ToolInfo;
const CATALOGUE = [tool('simple_rag', 'context'), tool('rubric_rag', 'rubric'), tool('no_rag', null)];

const processor = (name: string, aliases: string[], slots: string[]) => ({
  name,
  aliases,
  slots,
  description: '',
  texts: {},
  settings: [],
});
const PROCESSORS = new ClassicProcessors(
  [processor('simple_augment', ['default'], []), processor('moodle_augment', [], ['moodle_user'])],
  [processor('no_rag', ['No RAG'], []), processor('simple_rag', [], ['context'])],
);
const classicForm = (stored: DefinitionBody): ClassicForm => new ClassicForm(stored, PROCESSORS);

const body = (metadata: Metadata, rest: Partial<DefinitionBody> = {}): DefinitionBody => ({
  name: 'A',
  description: '',
  system_prompt: '',
  prompt_template: '{user_input}',
  metadata,
  ...rest,
});

describe('the multi-tool form', () => {
  it('starts with the strategy, provider and type of a new assistant', () => {
    expect(new MultiToolForm(NEW_MULTI_TOOL, CATALOGUE).body().metadata).toMatchObject({
      _format_version: 3,
      assistant_type: 'multi_tool',
      orchestrator: 'sequential',
      connector: 'auto',
      tools: [],
      functions: [],
    });
  });

  it('gives back every key that it does not know', () => {
    const metadata: Metadata = {
      _format_version: 3,
      assistant_type: 'multi_tool',
      orchestrator: 'parallel',
      orchestrator_options: { later: 1 },
      connector: 'openai',
      llm: 'gpt-4o',
      capabilities: { vision: true, image_generation: false, tool_use: true } as Metadata['capabilities'],
      verbose: false,
      tools: [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { x: 1 }, note: 'kept' }],
      functions: ['weather'],
      future: { a: [1] },
    };
    expect(new MultiToolForm(body(metadata), CATALOGUE).body()).toEqual(body(metadata));
  });

  it('edits a document of version 2 as version 3, its template with it', () => {
    const stored = { tools: [{ type: 'rubric', enabled: true, config: { rubric_id: 'r' } }, 'weather'] };
    const form = new MultiToolForm(body(stored, { prompt_template: '{rubric} {user_input}' }), CATALOGUE);
    expect(form.body().prompt_template).toBe('{1_rubric} {user_input}');
    expect(form.body().metadata).toMatchObject({
      _format_version: 3,
      tools: [{ plugin: 'rubric_rag', placeholder: '1_rubric', config: { rubric_id: 'r' } }],
      functions: ['weather'],
    });
  });

  it('writes no model where the default is to answer, and what changed where something did', () => {
    const form = new MultiToolForm(body({ assistant_type: 'multi_tool', llm: 'gpt-4o' }), CATALOGUE);
    form.llm = '';
    form.strategy = 'planned';
    form.options = { max_steps: 4 };
    const { metadata } = form.body();
    expect('llm' in metadata).toBe(false);
    expect(metadata.orchestrator_options).toEqual({ max_steps: 4 });
  });

  it('sees no difference between what is absent and its default', () => {
    const form = new MultiToolForm(NEW_MULTI_TOOL, CATALOGUE);
    const stored = body({ assistant_type: 'multi_tool' });
    expect(form.normalised(stored)).toEqual(form.normalised(form.normalised(stored)));
  });
});

describe('the classic form', () => {
  it('starts without a RAG processor', () => {
    expect(classicForm(NEW_CLASSIC).body()).toEqual(NEW_CLASSIC);
  });

  it('gives back a document that nobody touched, in its own version and with unknown keys', () => {
    const stored = body(
      { prompt_processor: 'simple_augment', rag_processor: 'simple_rag', connector: 'openai', llm: 'm', own: true },
      { RAG_collections: ['a', '7'], RAG_Top_k: 5 },
    );
    expect(classicForm(stored).body()).toEqual(stored);
  });

  it('reads the names that LAMB writes', () => {
    const form = classicForm(body({ rag_processor: 'No RAG', prompt_processor: 'default', connector: 'openai_tools' }));
    expect([form.ragProcessor, form.promptProcessor, form.connector]).toEqual(['no_rag', 'simple_augment', 'openai']);
  });

  it('has the Moodle user as a slot only where its prompt processor fills it', () => {
    const form = classicForm(body({ rag_processor: 'simple_rag' }, { prompt_template: '{moodle_user}' }));
    const names = (): string[] => form.document.slots.map(({ name, state }) => `${name} ${state}`);
    expect(names()).toEqual(['context unused', 'user_input unused']);
    form.promptProcessor = 'moodle_augment';
    expect(names()).toContain('moodle_user used');
  });

  it('leaves functions where the document has them and adds new ones under functions', () => {
    const form = classicForm(body({ tools: ['weather', 'moodle'] }));
    expect(form.functions).toEqual(['weather', 'moodle']);
    form.functions = ['weather', { type: 'assistant', assistant_id: 7 }];
    const { metadata } = form.body();
    expect(metadata.tools).toEqual(['weather']);
    expect(metadata.functions).toEqual([{ type: 'assistant', assistant_id: 7 }]);
  });
});
