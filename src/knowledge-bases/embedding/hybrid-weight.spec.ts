import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import { hybridWeightOf, isForeignTo } from './embedding-settings';

const base = (model: string, languages: string[], hybridWeight: number | null = null): KnowledgeBaseEntity =>
  ({
    hybridWeight,
    embedding: { provider: 'ollama', model, dimensions: 2 },
    vectorEmbedding: { provider: 'ollama', model, dimensions: 2 },
    language: null,
    languages,
  }) as unknown as KnowledgeBaseEntity;

const asked = (language: string) => Promise.resolve({ language, scores: { [language]: 1 } });

describe('the default weight of vectors', () => {
  it.each([
    ['all-minilm', ['en'], 0.5],
    ['all-minilm', ['ca'], 0],
    ['all-minilm', ['en', 'ca'], 0],
    ['all-minilm', ['simple'], 0],
    ['bge-m3', ['ca'], 0.5],
    ['my-model', ['en'], 0],
  ])('of %s for material in %j is %d', (model, languages, weight) => {
    expect(hybridWeightOf(base(model, languages))).toBe(weight);
    expect(hybridWeightOf(base(model, languages, 0.2))).toBe(0.2);
  });

  it('is 0 for a question in a language that the model does not know', async () => {
    const english = base('all-minilm', ['en']);
    expect(await isForeignTo(english, asked('es'))).toBe(true);
    expect(await isForeignTo(english, asked('en'))).toBe(false);
    expect(await isForeignTo(english, Promise.resolve(null))).toBe(false);
    expect(await isForeignTo(base('all-minilm', ['en'], 0.5), asked('es'))).toBe(false);
  });

  it('does not wait for the language where the model knows every one', async () => {
    const never = new Promise<null>(() => undefined);
    expect(await isForeignTo(base('bge-m3', ['en']), never)).toBe(false);
  });
});
