import { instructionFor, ranksWellIn } from './embeddings.service';

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
    expect(ranksWellIn('text-embedding-3-small', ['en', 'ca'])).toBe(true);
    for (const model of ['my-model', 'paraphrase-multilingual', '']) expect(ranksWellIn(model, ['en'])).toBe(false);
  });

  it.each([
    ['all-minilm', false],
    ['nomic-embed-text:v1.5', false],
    ['intfloat/e5-base-v2', false],
    ['BAAI/bge-small-en-v1.5', false],
    ['intfloat/multilingual-e5-large', true],
    ['nomic-embed-text-v2-moe', true],
    ['bge-m3', true],
    ['text-embedding-ada-002', true],
  ])('%s rank well in English; in Catalan: %s', (model, inCatalan) => {
    expect(ranksWellIn(model, ['en'])).toBe(true);
    expect([ranksWellIn(model, ['ca']), ranksWellIn(model, ['en', 'ca'])]).toEqual([inCatalan, inCatalan]);
  });
});
