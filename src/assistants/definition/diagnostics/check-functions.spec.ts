import type { JsonObject } from '@bellwether/kernel';
import { specifiedTools } from '../../../../test/support/tool-vocabulary';
import { normaliseDocument } from '../normalise';
import { error, errorsOf, info, warning } from './diagnostic.types';
import { type FunctionRules, checkFunctions, configReferences, placedFunctions } from './references';

const rules: FunctionRules = {
  find: (name) =>
    ['weather', 'assistant'].includes(name)
      ? ({ definition: { name, allow_multiple: name === 'assistant' } } as ReturnType<FunctionRules['find']>)
      : undefined,
  closest: (name) => (name.startsWith('weath') ? 'weather' : null),
  validate: (_, config) =>
    'odd' in (config as object)
      ? [
          { path: 'odd', message: 'is odd', code: 'value.odd', values: { limit: 1 } },
          { path: '', message: 'is bad' },
        ]
      : [],
};

describe('checking functions', () => {
  it('finds nothing wrong with known ones, wherever they are stored', () => {
    const metadata = {
      tools: [' weather '],
      functions: [
        { type: 'assistant', id: 1 },
        { type: 'assistant', id: 2 },
      ],
    };
    expect(checkFunctions(metadata, rules)).toEqual([]);
    expect(placedFunctions(metadata)).toEqual([
      { base: 'metadata.tools[0]', type: 'weather', config: {}, bare: true },
      { base: 'metadata.functions[0]', type: 'assistant', config: { id: 1 }, bare: false },
      { base: 'metadata.functions[1]', type: 'assistant', config: { id: 2 }, bare: false },
    ]);
  });

  it('names an unknown one and the one that it resembles', () => {
    const long = 'x'.repeat(65);
    expect(checkFunctions({ functions: ['weathr', { type: long }] }, rules)).toEqual([
      error('tool.unknown', 'metadata.functions[0]', 'no function is called "weathr"; did you mean "weather"?', {
        reason: 'name.misspelt',
        name: 'weathr',
        closest: 'weather',
      }),
      error('tool.unknown', 'metadata.functions[1].type', `no function is called "${long.slice(1)}"`, {
        reason: 'name.unknown',
        name: long.slice(1),
      }),
    ]);
  });

  it('points into the config, and refuses a second one of a kind', () => {
    const twice = { functions: ['weather', { type: 'weather', odd: true }] };
    expect(checkFunctions(twice, rules)).toEqual([
      error('tool.config_invalid', 'metadata.functions[1].odd', 'is odd', { limit: 1, reason: 'value.odd' }),
      error('tool.config_invalid', 'metadata.functions[1]', 'is bad'),
      error('function.duplicate', 'metadata.functions[1]', 'an assistant can have one weather only', {
        reason: 'function.only_one',
      }),
    ]);
  });
});

describe('configs that name things of others', () => {
  function references(metadata: JsonObject): unknown[] {
    const stored = { systemPrompt: '', promptTemplate: '', metadata, ragCollections: ['kb'], ragTopK: 3 };
    return configReferences(normaliseDocument(stored, specifiedTools)).map(({ at, ...rest }) => ({
      ...rest,
      at: [at('collections[0]'), at('')],
    }));
  }

  it('are those of tools, fallbacks and functions', () => {
    const search = { plugin: 'simple_rag', enabled: false, config: { top_k: 1 }, on_error: 'fallback' };
    const fallback = { plugin: 'rubric', config: { rubric_id: 4 } };
    const tools = [{ ...search, fallback }, { plugin: 'no_rag' }];
    const common = { kind: 'pipeline', checked: true };
    expect(references({ assistant_type: 'multi_tool', tools, functions: [{ type: 'kb', a: 1 }] })).toEqual([
      {
        ...common,
        tool: 'simple_rag',
        config: { top_k: 1 },
        enabled: false,
        at: ['metadata.tools[0].config.collections[0]', 'metadata.tools[0].config'],
      },
      {
        ...common,
        tool: 'rubric_rag',
        config: { rubric_id: 4 },
        enabled: false,
        at: ['metadata.tools[0].fallback.config.collections[0]', 'metadata.tools[0].fallback.config'],
      },
      {
        ...common,
        tool: 'no_rag',
        config: {},
        enabled: true,
        at: ['metadata.tools[1].config.collections[0]', 'metadata.tools[1].config'],
      },
      {
        kind: 'function',
        tool: 'kb',
        config: { a: 1 },
        checked: true,
        enabled: true,
        at: ['metadata.functions[0].collections[0]', 'metadata.functions[0]'],
      },
    ]);
  });

  it.each([
    ['simple_rag', 'simple_rag', { collections: ['kb'] }],
    ['rubric_rag', 'rubric_rag', { rubric_id: 4 }],
    ['single_file_rag', 'single_file_rag', { file_path: 'a.md' }],
  ])('are the settings that %s of a classic assistant reads', (rag_processor, tool, config) =>
    expect(references({ rag_processor, rubric_id: 4, file_path: 'a.md' })).toEqual([
      { kind: 'pipeline', tool, config, checked: false, enabled: true, at: ['RAG_collections[0]', 'metadata'] },
    ]),
  );

  it('are none of a classic assistant without retrieval', () => expect(references({})).toEqual([]));
});

describe('what refuses a save', () => {
  it('is an error, with its values, and no warning', () =>
    expect(
      errorsOf([
        error('tool.unknown', 'a', 'A', { name: 'x' }),
        error('tool.invalid', 'b', 'B'),
        warning('placeholder.unused', 'c', 'C'),
        info('setting.ignored', 'd', 'D'),
      ]),
    ).toEqual([
      { path: 'a', message: 'A', code: 'tool.unknown', values: { name: 'x' } },
      { path: 'b', message: 'B', code: 'tool.invalid' },
    ]));

  it.each(['processor.unknown', 'tool.unknown_key', 'tool.inaccessible', 'tool.disabled'] as const)(
    'is not %s, which a teacher may have got without doing anything',
    (code) => expect(errorsOf([error(code, 'a', 'A')])).toEqual([]),
  );
});
