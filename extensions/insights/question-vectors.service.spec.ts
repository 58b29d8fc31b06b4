import type { EmbeddingsService } from '../../src/connectors';
import { QuestionVectors } from './question-vectors.service';

const OWN = { name: 'folder', vendor: null, defaultModel: 'tiny' };
const CHOSEN = { provider: 'openai', model: 'small', dimensions: 256 };

const vectors = (definitions: object[], configured: readonly string[]) =>
  new QuestionVectors({
    definitions: () => definitions,
    isConfigured: (_: string, provider: string) => Promise.resolve(configured.includes(provider)),
  } as unknown as EmbeddingsService);

describe('the embedding of questions', () => {
  const own = { provider: 'folder', model: 'tiny', dimensions: null };

  it('is that of the material where the organization can use it', async () => {
    expect(await vectors([OWN], ['openai']).usable('organization', CHOSEN)).toBe(CHOSEN);
    expect(await vectors([OWN], []).usable('organization', CHOSEN)).toEqual(own);
  });

  it('is that of the service without material, and none without both', async () => {
    expect(await vectors([OWN], []).usable('organization', null)).toEqual(own);
    expect(await vectors([{ ...OWN, defaultModel: null }], []).usable('organization', null)).toBeNull();
    expect(await vectors([], []).usable('organization', CHOSEN)).toBeNull();
  });
});
