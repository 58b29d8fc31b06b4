import { unboundReference } from '../../../knowledge-bases';
import {
  EMPTY_DEFINITION,
  applyInput,
  boundDefinition,
  changedFields,
  collectionList,
  definitionAnswer,
  definitionOf,
  exampleQuestions,
  metadataProblems,
  runningDefinition,
  suggestedQuestions,
} from './definition';
import type { Definition } from './document.types';
import { assistantType, isMetadataVersion, metadataVersion, runningVersion, versionProblem } from './version';

const FULL: Definition = {
  type: 'classic',
  name: 'Tutor',
  description: 'Helps',
  systemPrompt: 'Be kind.',
  promptTemplate: '{user_input}',
  metadata: '{"llm": "m"}',
  ragCollections: 'a,b',
  ragTopK: 5,
};

describe('an input applied to a definition', () => {
  it('keeps each absent member', () => expect(applyInput(FULL, {})).toEqual(FULL));

  it('takes each given member, the name trimmed and an object as JSON', () => {
    const input = {
      name: ' New ',
      description: '',
      system_prompt: '',
      prompt_template: 'T',
      metadata: { assistant_type: 'multi_tool' },
      RAG_collections: ['c', 'd'],
      RAG_Top_k: 0,
    };
    expect(applyInput(FULL, input)).toEqual({
      type: 'multi_tool',
      name: 'New',
      description: '',
      systemPrompt: '',
      promptTemplate: 'T',
      metadata: '{"assistant_type":"multi_tool"}',
      ragCollections: 'c,d',
      ragTopK: 0,
    });
    expect(applyInput(FULL, { RAG_collections: 'x, y' }).ragCollections).toBe('x, y');
  });

  it.each([
    ['a text as it is', '{ "llm":"n" }', '{ "llm":"n" }'],
    ['null as none', null, ''],
    ['unreadable text as it is', '{', '{'],
  ])('stores %s', (_, metadata, stored) =>
    expect(applyInput(FULL, { metadata })).toEqual({ ...FULL, metadata: stored }),
  );

  it('leaves the stored text where the answer is sent back unchanged', () => {
    const stored = { ...FULL, metadata: '{ "functions": ["weather"] }' };
    const answer = { functions: ['weather'], capabilities: { tool_use: true } };
    expect(applyInput(stored, { metadata: answer }).metadata).toBe(stored.metadata);
    expect(applyInput(stored, { metadata: { ...answer, llm: 'm' } }).metadata).toContain('"llm":"m"');
    expect(applyInput({ ...FULL, metadata: '{' }, { metadata: {} }).metadata).toBe('{}');
  });

  it('starts from three results and no text', () =>
    expect(applyInput(EMPTY_DEFINITION, {})).toEqual({
      type: 'classic',
      name: '',
      description: '',
      systemPrompt: '',
      promptTemplate: '',
      metadata: '',
      ragCollections: '',
      ragTopK: 3,
    }));
});

describe('a stored definition', () => {
  it('gives the columns of a definition and no others', () => {
    const row = { ...FULL, id: 7 };
    expect(definitionOf(row)).toEqual(FULL);
    expect(definitionOf({ ...FULL, collectionIds: null })).toEqual({ ...FULL, collectionIds: null });
  });

  it('is answered by the names of the API, unreadable metadata as empty', () => {
    expect(definitionAnswer({ ...FULL, ragCollections: ' a, ,b,' })).toEqual({
      system_prompt: 'Be kind.',
      prompt_template: '{user_input}',
      metadata: { llm: 'm' },
      RAG_collections: ['a', 'b'],
      RAG_Top_k: 5,
    });
    expect(definitionAnswer({ ...FULL, metadata: '[' }).metadata).toEqual({});
    expect(collectionList('')).toEqual([]);
  });

  it('binds its collections to the last save, and for runs loses what nobody saved', () => {
    const id = '6f1c1f5e-9a3b-4d0f-8f55-0d1f4c5a7b11';
    const collectionIds = { a: id, '["collections","b"]': null };
    const definition = { ...FULL, collectionIds };
    expect(boundDefinition({ ...FULL, ragCollections: 'a' }).ragCollections).toEqual(['a']);
    expect(boundDefinition(definition).ragCollections[0]).toBe(id);
    expect(boundDefinition(definition).ragCollections[1]).not.toBe(unboundReference('b'));
    expect(runningDefinition(definition).ragCollections).toEqual([id, unboundReference('b')]);
    expect(runningDefinition(FULL).ragCollections).toEqual(['a', 'b']);
  });

  it('names each changed field by its name in the API', () => {
    const after = { ...FULL, name: 'N', description: 'D', systemPrompt: 'S', promptTemplate: 'P', metadata: '' };
    expect(changedFields(FULL, FULL)).toEqual([]);
    expect(changedFields(FULL, { ...after, ragCollections: '', ragTopK: 1 })).toEqual([
      { path: 'name', from: 'Tutor', to: 'N' },
      { path: 'description', from: 'Helps', to: 'D' },
      { path: 'system_prompt', from: 'Be kind.', to: 'S' },
      { path: 'prompt_template', from: '{user_input}', to: 'P' },
      { path: 'metadata', from: '{"llm": "m"}', to: '' },
      { path: 'RAG_collections', from: 'a,b', to: '' },
      { path: 'RAG_Top_k', from: 5, to: 1 },
    ]);
  });

  it('refuses metadata that cannot be stored', () => {
    expect(metadataProblems({ a: 1 })).toEqual([]);
    expect(metadataProblems('')).toEqual([]);
    for (const bad of ['{', 7, '{"a": "\\u0000"}'])
      expect(metadataProblems(bad)).toEqual([
        { path: 'metadata', message: expect.stringMatching(/./) as string, code: 'metadata.invalid' },
      ]);
  });
});

describe('the version of a document', () => {
  const tools = [{ type: 'simple_rag' }];

  it.each([
    ['of LAMB', {}, 1, 'classic', 1],
    ['of LAMB with functions', { tools: ['weather'] }, 1, 'classic', 1],
    ['with tools', { tools }, 2, 'multi_tool', 2],
    ['of several tools', { assistant_type: 'multi_tool', tools }, 3, 'multi_tool', 3],
    ['of several tools that declares 1', { assistant_type: 'multi_tool', _format_version: 1 }, 1, 'multi_tool', 3],
    ['that declares 2', { _format_version: 2 }, 2, 'multi_tool', 2],
    ['that declares 3 and runs as classic', { _format_version: 3 }, 3, 'classic', 1],
    ['that declares a text', { _format_version: '3', tools }, 2, 'multi_tool', 2],
  ])('%s', (_, metadata, version, type, running) => {
    expect(metadataVersion(metadata)).toBe(version);
    expect(assistantType(metadata)).toBe(type);
    expect(runningVersion(metadata)).toBe(running);
  });

  it('is one of three', () => expect([0, 1, 2, 3, 4, '1', null].filter(isMetadataVersion)).toEqual([1, 2, 3]));

  it.each([
    [undefined, null],
    [null, null],
    [3, null],
    [4, ['metadata.future_version', 'is newer than 3, the newest version known here']],
    [3.5, ['metadata.invalid', 'must be 1, 2, 3 or absent']],
    [0, ['metadata.invalid', 'must be 1, 2, 3 or absent']],
    ['4', ['metadata.invalid', 'must be 1, 2, 3 or absent']],
  ])('declared as %j', (declared, problem) => {
    const [code, message] = problem ?? [];
    expect(versionProblem({ _format_version: declared })).toEqual(
      problem === null ? null : { path: 'metadata._format_version', code, message },
    );
  });
});

describe('questions of a document that nobody checked', () => {
  it.each([
    ['suggested', suggestedQuestions, 'suggested_questions', 6],
    ['example', exampleQuestions, 'example_questions', 10],
  ])('are %s ones: texts of 1 to 200 characters, up to a number', (_, read, key, most) => {
    const longest = 'x'.repeat(200);
    expect(read({ [key]: [' Why? ', '', '  ', 7, null, longest, `${longest}x`, ` ${longest} `] })).toEqual([
      'Why?',
      longest,
      longest,
    ]);
    expect(read({ [key]: Array(most + 1).fill('Why?') })).toHaveLength(most);
    for (const none of ['Why?', null, undefined, {}]) expect(read({ [key]: none })).toEqual([]);
  });
});
