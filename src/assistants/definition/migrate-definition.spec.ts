import { specifiedTools } from '../../../test/support/tool-vocabulary';
import { EMPTY_DEFINITION } from './metadata/definition';
import type { Definition } from './metadata/document.types';
import { definitionDocument, definitionMetadata, migrateDefinition } from './migrate-definition';

const definition = (metadata: unknown, more: Partial<Definition> = {}): Definition => ({
  ...EMPTY_DEFINITION,
  promptTemplate: '{context} {user_input}',
  ragCollections: 'kb, kb, other',
  ragTopK: 4,
  metadata: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  ...more,
});

/** The members that the second version has of a classic document. */
function migrated(
  metadata: object,
  more: Partial<Definition> = {},
): [document: unknown, template: string, notes: unknown] {
  const plan = migrateDefinition(definition(metadata, more), 2, specifiedTools);
  if (plan.status !== 'ready') throw new Error(JSON.stringify(plan));
  expect(plan).toMatchObject({ from: 1, to: 2, definition: { type: 'multi_tool', ragTopK: 4 } });
  return [JSON.parse(plan.definition.metadata), plan.definition.promptTemplate, plan.notes];
}

function refusals(metadata: unknown, more: Partial<Definition> = {}): unknown {
  const plan = migrateDefinition(definition(metadata, more), 3, specifiedTools);
  if (plan.status !== 'refused') throw new Error(plan.status);
  expect(plan.differences).toEqual([]);
  return [plan.from, ...plan.problems.map(({ path, code, message }) => [path, code, message])];
}

const tool = (type: string, config: object) => ({ _format_version: 2, tools: [{ type, enabled: true, config }] });
const search = (more: object) =>
  tool('simple_rag', { collections: ['kb', 'other'], top_k: 4, ...more, sources_in_prompt: 'lamb' });

describe('a classic definition as one of version 2', () => {
  it.each<[string, object, object, string]>([
    ['no retrieval', {}, { _format_version: 2, tools: [] }, ' {user_input}'],
    ['no_rag', { rag_processor: 'no_rag' }, { _format_version: 2, tools: [] }, ' {user_input}'],
    ['simple_rag', { rag_processor: 'simple_rag' }, search({ max_tokens: 100_000 }), '{context} {user_input}'],
    [
      'simple_rag and a prompt that looks back',
      { rag_processor: 'simple_rag', prompt_processor: 'context_aware_augment' },
      { ...search({ rewrite_query: true, max_tokens: 100_000 }), prompt_processor: 'context_aware_augment' },
      '{context} {user_input}',
    ],
    [
      'context_aware_rag',
      { rag_processor: 'context_aware_rag' },
      search({ rewrite_query: true }),
      '{context} {user_input}',
    ],
    [
      'hierarchical_rag',
      { rag_processor: 'hierarchical_rag' },
      search({ rewrite_query: true, parent: true }),
      '{context} {user_input}',
    ],
    [
      'a rubric as JSON',
      { rag_processor: 'rubric_rag', rubric_id: ' r1 ', rubric_format: 'json', file_path: 'old.md' },
      tool('rubric', { rubric_id: 'r1', format: 'json', for_evaluation: true, sources_in_prompt: 'lamb' }),
      '{rubric} {user_input}',
    ],
    [
      'a file',
      { rag_processor: 'single_file_rag', file_path: '1/notes.md' },
      tool('single_file', { file_path: '1/notes.md', max_chars: 10_000_000, sources_in_prompt: 'lamb' }),
      '{file} {user_input}',
    ],
    [
      'a file that was never chosen',
      { rag_processor: 'single_file_rag' },
      tool('single_file', { file_path: null, max_chars: 10_000_000, sources_in_prompt: 'lamb' }),
      '{file} {user_input}',
    ],
  ])('%s', (_, metadata, document, template) =>
    expect(migrated(metadata)).toEqual([document, expect.stringContaining(template.trim()), []]),
  );

  it('says that an unknown format of a rubric stays Markdown', () => {
    const [document, , notes] = migrated({ rag_processor: 'rubric_rag', rubric_id: 4, rubric_format: 'xml' });
    expect(document).toMatchObject({ tools: [{ config: { rubric_id: 4, format: 'markdown' } }] });
    const message = 'is no format of rubrics: `markdown`, as until now';
    expect(notes).toEqual([{ path: 'metadata.rubric_format', message }]);
    expect(migrated({ rag_processor: 'simple_rag', rubric_format: 'xml' })[2]).toEqual([]);
  });

  it('moves functions to their own list, and keeps an empty one', () => {
    const moved = { tools: ['weather'], functions: [{ type: 'assistant' }], course: 1 };
    expect(migrated(moved)[0]).toEqual({
      _format_version: 2,
      course: 1,
      tools: [],
      functions: ['weather', { type: 'assistant' }],
    });
    expect(migrated({ functions: [] })[0]).toEqual({ _format_version: 2, tools: [], functions: [] });
  });

  it('gives the student’s name a tool only where the template has its slot', () => {
    const metadata = { prompt_processor: 'moodle_augment' };
    const student = { type: 'moodle_user', enabled: true, config: {} };
    const [document, template] = migrated(metadata, { promptTemplate: '{moodle_user}: {user_input}' });
    expect([document, template]).toEqual([
      { _format_version: 2, ...metadata, tools: [student] },
      '{moodle_user}: {user_input}',
    ]);
    expect(migrated(metadata, { promptTemplate: '{user_input}' })[0]).toMatchObject({ tools: [] });
    expect(migrated({}, { promptTemplate: '{moodle_user}{user_input}' })[0]).toMatchObject({ tools: [] });
  });
});

describe('a definition that migrates', () => {
  it('goes on to version 3 in one plan, from either', () => {
    const first = migrateDefinition(definition({ rag_processor: 'simple_rag' }), 3, specifiedTools);
    expect(first).toMatchObject({ status: 'ready', from: 1, to: 3, definition: { type: 'multi_tool', ragTopK: 4 } });
    const second = migrateDefinition(definition({ tools: [{ type: 'simple_rag' }] }), 3, specifiedTools);
    if (second.status !== 'ready') throw new Error(second.status);
    expect(second).toMatchObject({ from: 2, definition: { promptTemplate: '{1_context} {user_input}' } });
    expect(JSON.parse(second.definition.metadata)).toMatchObject({
      _format_version: 3,
      tools: [{ plugin: 'simple_rag', placeholder: '1_context' }],
    });
  });

  it('is current where it has the version or a later one', () => {
    const third = definition({ assistant_type: 'multi_tool' });
    expect(migrateDefinition(third, 3, specifiedTools)).toEqual({ status: 'current', from: 3 });
    expect(migrateDefinition(third, 2, specifiedTools)).toEqual({ status: 'current', from: 3 });
    expect(migrateDefinition(definition({}), 1, specifiedTools)).toEqual({ status: 'current', from: 1 });
  });

  it.each<[string, unknown, unknown]>([
    ['unreadable metadata', '{', [null, ['metadata', 'metadata.invalid', expect.any(String)]]],
    [
      'a version of the future',
      { _format_version: 4 },
      [null, ['metadata._format_version', 'metadata.future_version', expect.any(String)]],
    ],
    [
      'a number that would change',
      '{"a": 9007199254740993}',
      [1, ['metadata', 'metadata.invalid', 'holds the number 9007199254740993, which cannot be kept exactly']],
    ],
    [
      'entries that would get lost',
      { _format_version: 2, tools: {}, functions: [7] },
      [
        2,
        ['metadata.tools', 'metadata.invalid', 'must be an array'],
        [
          'metadata.functions[0]',
          'tool.invalid',
          'must be the name of a function, or an object with `plugin` or `type`',
        ],
      ],
    ],
    [
      'lists of a classic one that are none',
      { tools: 7, functions: 'weather' },
      [
        1,
        ['metadata.tools', 'metadata.invalid', 'must be an array'],
        ['metadata.functions', 'metadata.invalid', 'must be an array'],
      ],
    ],
    [
      'processors without a tool in their place',
      { rag_processor: 'x'.repeat(65), prompt_processor: 'nope' },
      [
        1,
        ['metadata.rag_processor', 'processor.unknown', `there is no processor \`${'x'.repeat(64)}\``],
        ['metadata.prompt_processor', 'processor.unknown', 'there is no processor `nope`'],
      ],
    ],
    [
      'a processor that is no text',
      { rag_processor: 7 },
      [1, ['metadata.rag_processor', 'metadata.invalid', 'must be a string']],
    ],
    [
      'functions described in the system prompt',
      { prompt_processor: 'tool_augment', functions: ['weather'] },
      [
        1,
        [
          'metadata.prompt_processor',
          'processor.no_equivalent',
          'describes the functions in the system prompt, which no tool does',
        ],
      ],
    ],
    [
      'tools and a strategy that a classic one ignores',
      { _format_version: 1, tools: ['weather', { type: 'simple_rag' }], orchestrator: 'planned' },
      [
        1,
        [
          'metadata.tools[1]',
          'tool.ignored',
          'is a tool that runs before the model, which a classic assistant ignores',
        ],
        [
          'metadata.orchestrator',
          'orchestrator.ignored',
          'is ignored by a classic assistant and would decide which tools run',
        ],
      ],
    ],
  ])('is refused for %s', (_, metadata, expected) => expect(refusals(metadata)).toEqual(expected));

  it('is refused for text that would become a slot, once for each name and twenty at most', () => {
    const promptTemplate = '{rubric}{1_context}{rubric}{user_input}{context}';
    expect(refusals({}, { promptTemplate })).toEqual([
      1,
      ...['{rubric}', '{1_context}'].map((text) => [
        'prompt_template',
        'template.text_becomes_slot',
        `\`${text}\` is text in a classic template and would become a slot`,
      ]),
    ]);
    const many = Array.from({ length: 25 }, (_, index) => `{${index + 1}_file}`).join('');
    expect(refusals({}, { promptTemplate: many })).toHaveLength(21);
    const plan = migrateDefinition(definition({}, { promptTemplate }), 2, specifiedTools);
    expect(plan).toMatchObject({ problems: [{ values: { text: '{rubric}' } }, { values: { text: '{1_context}' } }] });
  });

  it.each(['sequential', 'parallel', null, ''])('keeps the harmless strategy %j', (orchestrator) =>
    expect(migrateDefinition(definition({ orchestrator }), 2, specifiedTools).status).toBe('ready'),
  );

  it('may describe its functions in the system prompt while it has none', () =>
    expect(migrateDefinition(definition({ prompt_processor: 'tool_augment' }), 2, specifiedTools).status).toBe(
      'ready',
    ));
});

describe('a definition as a document', () => {
  it('is read with its columns', () =>
    expect(definitionDocument(definition({ rag_processor: 'simple_rag' }), specifiedTools)).toMatchObject({
      type: 'classic',
      classic: { ragProcessor: 'simple_rag', collections: ['kb', 'kb', 'other'], topK: 4 },
    }));

  it('is empty where its metadata are unreadable', () => {
    expect(definitionMetadata(definition('{'))).toEqual({});
    expect(definitionMetadata(definition({ a: 1 }))).toEqual({ a: 1 });
  });
});
