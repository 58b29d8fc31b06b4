import { instructionFor, isKnownEmbeddingModel } from './embedding-models';

describe('models', () => {
  it.each([
    ['nomic-embed-text:v1.5', 'search_query: ', 'search_document: '],
    ['intfloat/multilingual-e5-large', 'query: ', 'passage: '],
    ['intfloat/e5-mistral-7b-instruct', '', ''],
    ['BAAI/bge-small-en-v1.5', 'Represent this sentence for searching relevant passages: ', ''],
    ['bge-m3', '', ''],
    ['text-embedding-3-large', '', ''],
    ['snowflake-arctic-embed2', 'query: ', ''],
    ['snowflake-arctic-embed:33m', 'Represent this sentence for searching relevant passages: ', ''],
    ['embeddinggemma:300m', 'task: search result | query: ', 'title: none | text: '],
  ])('%s are told what a text is as their cards say', (model, query, passage) => {
    expect([instructionFor(model, 'query'), instructionFor(model, 'passage')]).toEqual([query, passage]);
  });

  it('that nobody knows are assumed nothing of', () => {
    expect(isKnownEmbeddingModel('text-embedding-3-small')).toBe(true);
    for (const model of ['universal-sentence-encoder-lite-en', 'all-minilm', 'my-model', ''])
      expect(isKnownEmbeddingModel(model)).toBe(false);
  });
});
