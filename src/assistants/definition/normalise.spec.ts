import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import { compileTemplate } from '@bellwether/kernel/templates';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { specifiedTools } from '../../../test/support/tool-vocabulary';
import type { AssistantDocument } from './metadata/document.types';
import { normaliseDocument, slotGrammar } from './normalise';
import { parseMetadata } from './metadata/parse-metadata';

const FIXTURES = join(__dirname, '../../../test/fixtures/metadata');

const read = (metadata: JsonObject, promptTemplate = '{context} {rubric} {user_input}'): AssistantDocument =>
  normaliseDocument(
    { systemPrompt: 'S', promptTemplate, metadata, ragCollections: ['kb-1'], ragTopK: 4 },
    specifiedTools,
  );

const fixture = (name: string): JsonObject => {
  const parsed: unknown = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8'));
  if (!isJsonObject(parsed)) throw new Error(`${name} is no object`);
  return parsed;
};

const pipelineOf = (document: AssistantDocument): unknown[] =>
  document.pipeline.map(({ index, plugin, placeholder, enabled }) => [index, plugin, placeholder, enabled]);

describe('reading stored metadata', () => {
  it.each([
    ['v1-server-default', 1, 'classic', 'auto', 'no_rag'],
    ['v1-no-rag', 1, 'classic', 'openai', 'no_rag'],
    ['v1-simple-rag-form', 1, 'classic', 'openai', 'simple_rag'],
    ['v1-single-file', 1, 'classic', 'openai', 'single_file_rag'],
    ['v1-rubric', 1, 'classic', 'openai', 'rubric_rag'],
    ['v1-quota', 1, 'classic', 'ollama', 'no_rag'],
    ['v1-function-names', 1, 'classic', 'openai', 'no_rag'],
    ['v1-function-objects', 1, 'classic', 'openai', 'simple_rag'],
    ['v1-broken-defaults', 1, 'classic', 'openai', 'no_rag'],
    ['v1-empty-rag', 1, 'classic', 'auto', 'no_rag'],
    ['v1-newer-branches', 1, 'classic', 'openai', 'knowledge_store_rag'],
    ['v2-tools', 2, 'multi_tool', 'openai', 'simple_rag'],
    ['v2-undeclared', 2, 'multi_tool', 'openai', 'no_rag'],
    ['v3-multi-tool', 3, 'multi_tool', 'openai', 'no_rag'],
    ['v3-full', 3, 'multi_tool', 'auto', 'no_rag'],
    ['v3-functions-in-tools', 3, 'multi_tool', 'auto', 'no_rag'],
  ])('%s is version %i and runs as %s', (name, version, type, connector, ragProcessor) => {
    const stored = fixture(name);
    const document = read(stored);
    expect(document).toMatchObject({ formatVersion: version, type, connector, classic: { ragProcessor } });
    expect(document.raw).toBe(stored);
    expect(stored).toEqual(fixture(name));
  });

  it('has a case for every fixture', () => {
    const files = readdirSync(FIXTURES).filter((file) => file.endsWith('.json'));
    expect(files).toHaveLength(16);
  });

  it('keeps classic settings where LAMB keeps them', () => {
    expect(read(fixture('v1-rubric')).classic).toEqual({
      promptProcessor: 'simple_augment',
      ragProcessor: 'rubric_rag',
      fetches: true,
      reads: ['rubric'],
      slots: ['context'],
      collections: ['kb-1'],
      topK: 4,
      rubricId: '6f1c1f5e-9a3b-4d0f-8f55-0d1f4c5a7b11',
      rubricFormat: 'json',
      filePath: null,
    });
    expect(read(fixture('v1-single-file')).classic.filePath).toBe('1/notes.md');
    expect(read(fixture('v1-broken-defaults')).classic.promptProcessor).toBe('simple_augment');
  });

  it('numbers a version 2 document in memory, disabled tools counted, and its template with it', () => {
    const document = read(fixture('v2-tools'), '{context}|{rubric}|{file}|{user_input}|{other}');
    expect(pipelineOf(document)).toEqual([
      [0, 'simple_rag', '1_context', true],
      [1, 'rubric_rag', '2_rubric', true],
      [2, 'single_file_rag', '3_file', false],
    ]);
    expect(document.template).toBe('{1_context}|{2_rubric}|{3_file}|{user_input}|{other}');
    expect(document.orchestrator).toBe('sequential');
  });

  it('gives two version 2 tools of one kind both of their places', () => {
    const document = read(fixture('v2-undeclared'), 'A{context}B{rubric}');
    expect(pipelineOf(document)).toEqual([
      [0, 'rubric_rag', '1_rubric', true],
      [2, 'simple_rag', '2_context', true],
      [3, 'simple_rag', '3_context', true],
      [4, 'no_rag', null, true],
    ]);
    expect(document.template).toBe('A{2_context}{3_context}B{1_rubric}');
    expect(document.functions).toEqual([{ type: 'weather' }]);
  });

  it('keeps pipeline and functions apart, wherever they were stored', () => {
    expect(read(fixture('v1-function-names')).functions).toEqual([{ type: 'weather' }, { type: 'moodle' }]);
    expect(read(fixture('v1-function-objects'))).toMatchObject({
      pipeline: [],
      functions: [{ type: 'assistant' }, { type: 'knowledge_base' }],
    });
    const mixed = read(fixture('v3-functions-in-tools'));
    expect(pipelineOf(mixed)).toEqual([[1, 'simple_rag', '1_context', true]]);
    expect(mixed.functions.map(({ type }) => type)).toEqual(['weather', 'knowledge_base']);
    const full = read(fixture('v3-full'));
    expect(full.pipeline.map(({ plugin }) => plugin)).toEqual(['simple_rag', 'rubric_rag']);
    expect(full.functions.map(({ type }) => type)).toEqual(['weather', 'rubric', 'image']);
  });

  it('reads the name that the author gave a tool', () => {
    const tools = [
      { plugin: 'simple_rag', label: ' Papers ' },
      { plugin: 'simple_rag', label: '' },
    ];
    const labels = read({ _format_version: 3, assistant_type: 'multi_tool', tools }).pipeline.map(({ label }) => label);
    expect(labels).toEqual(['Papers', undefined]);
  });

  const tool = (entry: object): unknown =>
    read({ assistant_type: 'multi_tool', tools: [{ plugin: 'simple_rag', ...entry }] }).pipeline[0];

  it('reads switches that are on, and no others', () => {
    const on = {
      verbose: true,
      only_from_material: true,
      capabilities: { vision: true, image_generation: true },
      llm: 'm',
      assistant_type: 'multi_tool',
      orchestrator: 'parallel',
      orchestrator_options: { a: 1 },
    };
    expect(read(on)).toMatchObject({
      verbose: true,
      onlyFromMaterial: true,
      capabilities: { vision: true, image_generation: true },
      llm: 'm',
      orchestrator: 'parallel',
      orchestratorOptions: { a: 1 },
    });
    for (const off of [
      {},
      { verbose: 'yes', only_from_material: 1, capabilities: { vision: 1, image_generation: 'x' } },
    ])
      expect(read(off)).toMatchObject({
        verbose: false,
        onlyFromMaterial: false,
        capabilities: { vision: false, image_generation: false },
        llm: null,
        orchestrator: 'sequential',
        orchestratorOptions: {},
      });
  });

  it.each<[string, object, object]>([
    ['the least numbers', { timeout_ms: 1, retries: 0 }, { timeout_ms: 1, retries: 0 }],
    ['numbers that are too small', { timeout_ms: 0, retries: -1 }, { timeout_ms: null, retries: null }],
    ['numbers that are not whole', { timeout_ms: 1.5, retries: '1' }, { timeout_ms: null, retries: null }],
    ['dependencies that are texts', { depends_on: ['a', 7] }, { depends_on: ['a'] }],
    ['dependencies that are no list', { depends_on: 'a' }, { depends_on: [] }],
    ['what happens without them', { on_dependency_failure: 'run' }, { on_dependency_failure: 'run' }],
    [
      'an unknown choice',
      { on_dependency_failure: 'x', on_error: 'x' },
      { on_dependency_failure: 'skip', on_error: 'continue' },
    ],
    ['example questions', { example_questions: ['Why?'] }, { example_questions: ['Why?'] }],
    ['a label of blanks', { label: '  ' }, { placeholder: '1_context' }],
    [
      'a fallback for low confidence',
      { fallback: { plugin: 'rubric', condition: 'on_low_confidence', threshold: 0.2, config: { a: 1 } } },
      { fallback: { plugin: 'rubric_rag', condition: 'on_low_confidence', threshold: 0.2, config: { a: 1 } } },
    ],
    [
      'a fallback without settings',
      { fallback: { plugin: 'no_rag', threshold: '1' } },
      { fallback: { plugin: 'no_rag', condition: 'on_error', threshold: 0.5, config: {} } },
    ],
    ['a fallback without a tool', { fallback: { condition: 'on_error' } }, { fallback: null }],
    ['a fallback that is a text', { fallback: 'no_rag' }, { fallback: null }],
  ])('reads %s', (_, entry, expected) => {
    const found = tool(entry);
    expect(found).toMatchObject(expected);
    for (const key of ['label', 'example_questions'])
      expect(Object.hasOwn(found as object, key)).toBe(Object.hasOwn(expected, key));
  });

  it('reads every option of a tool and fills the rest', () => {
    expect(read(fixture('v3-full')).pipeline).toEqual([
      {
        index: 0,
        plugin: 'simple_rag',
        placeholder: '1_context',
        enabled: true,
        config: { collections: ['a'] },
        on_error: 'fail',
        timeout_ms: 5000,
        retries: 2,
        cache: false,
        depends_on: [],
        on_dependency_failure: 'skip',
        when: null,
        fallback: null,
      },
      {
        index: 1,
        plugin: 'rubric_rag',
        placeholder: '2_rubric',
        enabled: true,
        config: { rubric_id: null },
        on_error: 'continue',
        timeout_ms: null,
        retries: null,
        cache: true,
        depends_on: ['1_context'],
        on_dependency_failure: 'skip',
        when: { '>': [{ var: 'results.1_context.chars' }, 0] },
        fallback: { plugin: 'simple_rag', config: { collections: ['b'] }, condition: 'on_error', threshold: 0.5 },
      },
    ]);
  });

  it('generates a missing placeholder that no other tool has', () => {
    const document = read({
      assistant_type: 'multi_tool',
      tools: [{ plugin: 'simple_rag', placeholder: '2_context' }, { plugin: 'simple_rag' }, { plugin: 'mystery' }],
    });
    expect(document.pipeline.map(({ placeholder }) => placeholder)).toEqual(['2_context', '4_context', '3_mystery']);
  });

  it('takes any other type for classic, except in version 2', () => {
    expect(read({ assistant_type: 'chatbot' }).type).toBe('classic');
    expect(read({ assistant_type: 'classic', tools: [{ type: 'simple_rag' }] }).type).toBe('multi_tool');
    expect(read({ _format_version: 2 }).type).toBe('multi_tool');
    expect(read({ _format_version: 3 }).type).toBe('classic');
    expect(read({ _format_version: 99, assistant_type: 'multi_tool' }).formatVersion).toBe(3);
  });

  it('knows the slots of classic and of multi-tool templates', () => {
    const slots = (metadata: JsonObject): string[] => {
      const document = read(metadata, '{context} {1_context} {user_input} {removed_1_file} {x}');
      return compileTemplate(document.template, slotGrammar(document, specifiedTools)).slots.map(({ name }) => name);
    };
    expect(slots({})).toEqual(['context', 'user_input']);
    expect(slots({ assistant_type: 'multi_tool' })).toEqual(['context', '1_context', 'user_input', 'removed_1_file']);
    expect(slots({ assistant_type: 'multi_tool', tools: [{ plugin: 'p', placeholder: 'x' }] })).toContain('x');
  });

  it('survives every JSON value and pollutes nothing', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            'tools',
            'functions',
            'orchestrator',
            '_format_version',
            'llm',
            'constructor',
            'capabilities',
            'rubric_id',
          ),
          fc.jsonValue(),
        ),
        (metadata) => {
          const parsed = parseMetadata(JSON.stringify(metadata));
          expect(parsed.ok).toBe(true);
          if (parsed.ok) read(parsed.metadata);
        },
      ),
    );
    const hostile = parseMetadata(
      '{"__proto__":{"polluted":1,"assistant_type":"multi_tool"},"constructor":{"prototype":{"polluted":1}},"tools":[{"__proto__":{"plugin":"simple_rag"}}]}',
    );
    expect(hostile.ok && read(hostile.metadata)).toMatchObject({ type: 'classic', pipeline: [] });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('parsing metadata', () => {
  it.each([undefined, null, '', '  ', 'null', {}])('reads %j as empty', (raw) => {
    expect(parseMetadata(raw)).toEqual({ ok: true, metadata: {} });
  });

  it('reads an object and the same object as a string alike', () => {
    expect(parseMetadata('{"a":1}')).toEqual(parseMetadata({ a: 1 }));
  });

  it.each(['{', '[]', '"text"', '3', 3, [], true])('refuses %j', (raw) => {
    expect(parseMetadata(raw).ok).toBe(false);
  });
});
