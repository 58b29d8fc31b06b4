import { assertModel, chooseMode, type SearchableBase } from './own-search';

const base = (more: Partial<SearchableBase> = {}): SearchableBase => ({
  name: 'Biology',
  embedding: { provider: 'openai', model: 'small' },
  isIndexed: true,
  hybridWeight: 0.4,
  ...more,
});

describe('the mode of a knowledge base', () => {
  it.each([
    ['hybrid', base()],
    ['keyword', base({ hybridWeight: 0 })],
    ['keyword', base({ embedding: null, isIndexed: false })],
  ] as const)('is %s where nobody wishes for another, without a word', (mode, each) => {
    expect(chooseMode(each, undefined, null)).toEqual({ mode, warning: null });
  });

  it.each(['keyword', 'vector', 'hybrid'] as const)('is %s where that is wished for and can be', (wish) => {
    expect(chooseMode(base(), wish, null)).toEqual({ mode: wish, warning: null });
  });

  it.each([
    ['vector', base({ embedding: null }), null, 'it has no embedding model'],
    ['vector', base(), 'the server has no pgvector', 'the server has no pgvector'],
    ['hybrid', base({ isIndexed: false }), null, 'its vectors are still being made'],
    ['hybrid', base({ hybridWeight: 0 }), null, 'its hybrid weight is 0'],
    [undefined, base({ isIndexed: false }), null, 'its vectors are still being made'],
  ] as const)('is keyword where %s cannot be, and says why', (wish, each, lack, why) => {
    expect(chooseMode(each, wish, lack)).toEqual({
      mode: 'keyword',
      warning: `Knowledge base Biology: keyword mode ran instead of ${wish ?? 'hybrid'}, ${why}`,
    });
  });

  it('can be vector with a weight of 0, which is about mixing', () => {
    expect(chooseMode(base({ hybridWeight: 0 }), 'vector', null).mode).toBe('vector');
  });
});

describe('a query that names a model', () => {
  it.each(['small', 'openai/small'])('is answered where it is %s', (model) => {
    expect(() => assertModel([base()], model)).not.toThrow();
  });

  it.each([
    [base(), 'is embedded with small'],
    [base({ embedding: null }), 'has no embedding model'],
  ])('is refused elsewhere, naming both', (each, own) => {
    expect(() => assertModel([each], 'large')).toThrow(
      expect.objectContaining({
        code: 'embedding_model_mismatch',
        detail: `The query names the model large, but knowledge base Biology ${own}`,
      }),
    );
  });
});
