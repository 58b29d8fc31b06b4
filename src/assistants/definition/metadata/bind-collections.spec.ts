import type { StoredDefinition } from './document.types';
import {
  bindCollections,
  collectionNames,
  unboundKey,
  unboundKeys,
  withoutUnbound,
  withUnbound,
} from './bind-collections';

const ID = '0195f2a0-0000-7000-8000-00000000000b';
const definition = (metadata: StoredDefinition['metadata'], ragCollections: string[] = []): StoredDefinition => ({
  systemPrompt: '',
  promptTemplate: '',
  metadata,
  ragCollections,
  ragTopK: 3,
});
const ALL = definition(
  {
    odd: { collections: ['mine'] },
    tools: [
      { plugin: 'simple_rag', config: { collections: ['course', '7', ID], top_k: 3 } },
      { plugin: 'rubric_rag', fallback: { plugin: 'simple_rag', config: { collections: ['spare'] } } },
      'weather',
      { type: 'knowledge_base', kb_id: ' course ' },
    ],
    functions: [
      { type: 'knowledge_base', kb_id: 'course' },
      { type: 'rubric', rubric_id: 'course' },
    ],
  },
  ['classic', 'Not A Slug'],
);

describe('names of collections', () => {
  it('are found wherever a definition names knowledge bases', () => {
    expect(collectionNames(ALL)).toEqual(['course', 'spare', 'classic']);
  });

  it('become what they meant when they were saved, and nothing else changes', () => {
    const bound = bindCollections(ALL, { course: ID, spare: null });
    expect(bound.metadata).toEqual({
      odd: { collections: ['mine'] },
      tools: [
        { plugin: 'simple_rag', config: { collections: [ID, '7', ID], top_k: 3 } },
        { plugin: 'rubric_rag', fallback: { plugin: 'simple_rag', config: { collections: ['external:spare'] } } },
        'weather',
        { type: 'knowledge_base', kb_id: ID },
      ],
      functions: [
        { type: 'knowledge_base', kb_id: ID },
        { type: 'rubric', rubric_id: 'course' },
      ],
    });
    expect(bound.ragCollections).toEqual(['external:classic', 'Not A Slug']);
    expect(ALL.ragCollections).toEqual(['classic', 'Not A Slug']);
  });

  it('stay while nothing is known of them', () => {
    expect(bindCollections(ALL, null)).toBe(ALL);
    const plain = definition({ rag_processor: 'no_rag' });
    expect(bindCollections(plain, {}).metadata).toBe(plain.metadata);
  });

  it('of objects’ own members are not bindings', () => {
    expect(bindCollections(definition({}, ['constructor']), {}).ragCollections).toEqual(['external:constructor']);
  });
});

describe('references that nobody who may read the thing has saved', () => {
  const stored = {
    systemPrompt: '',
    promptTemplate: '',
    ragTopK: 3,
    ragCollections: ['exam'],
    metadata: {
      rubric_id: 7,
      tools: [
        { plugin: 'simple_rag', config: { collections: ['exam', 'course'], top_k: 7 } },
        { plugin: 'no_rag', fallback: { plugin: 'rubric', config: { rubric_id: 7 } } },
      ],
      functions: [{ type: 'assistant', assistant_id: 7 }],
    },
  };
  const ids = withUnbound({ course: 'id' }, [unboundKey('collections', 'exam'), unboundKey('rubric_id', 7)]);

  it('name nothing at run, wherever they stand, and everything else is what it was', () => {
    expect(withoutUnbound(stored, ids)).toEqual({
      ...stored,
      ragCollections: ['unbound:exam'],
      metadata: {
        rubric_id: 'unbound:7',
        tools: [
          { plugin: 'simple_rag', config: { collections: ['unbound:exam', 'course'], top_k: 7 } },
          { plugin: 'no_rag', fallback: { plugin: 'rubric', config: { rubric_id: 'unbound:7' } } },
        ],
        functions: stored.metadata.functions,
      },
    });
    expect(withoutUnbound(stored, { course: 'id' })).toBe(stored);
  });

  it('are kept beside the bindings of names, and leave with the next save that binds them', () => {
    expect(unboundKeys(ids).size).toBe(2);
    expect(withUnbound(ids, [])).toEqual({ course: 'id' });
  });
});
