import { AppError } from '@bellwether/kernel';
import type { EmbeddingContext, EmbeddingProvider, EmbeddingRequest, ModelTarget } from '../contract';

export interface EmbeddingProviderCase {
  readonly provider: () => EmbeddingProvider;
  readonly target: () => ModelTarget;
  readonly model: string;
}

const TEXTS = ['Osmosis moves water through a membrane.', 'Das Ohm’sche Gesetz 🙂', 'x', ' two  spaces\nand a line '];

/** The conformance suite of embedding providers. A provider's spec calls it once. */
export function describeEmbeddingProvider(name: string, { provider, target, model }: EmbeddingProviderCase): void {
  const context = (signal: AbortSignal = new AbortController().signal): EmbeddingContext => ({
    signal,
    timeoutMs: 20_000,
    tries: 1,
    maxWaitMs: 100,
  });
  const asking = (texts: readonly string[]): EmbeddingRequest => ({
    model,
    texts,
    purpose: 'passage',
    dimensions: null,
  });

  describe(`the embedding provider ${name}`, () => {
    it('declares itself once, in plain JSON, with limits that a call can keep', () => {
      const { definition } = provider();
      expect(definition.name).toBe(name);
      expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
      for (const limit of [definition.maxTexts, definition.maxChars, definition.parallel])
        expect(limit).toBeGreaterThan(0);
    });

    it('gives one vector per text, all of one length, the same for the same text wherever it stands', async () => {
      const vectors = await provider().embed(asking(TEXTS), target(), context());
      expect(vectors).toHaveLength(TEXTS.length);
      expect(new Set(vectors.map(({ length }) => length)).size).toBe(1);
      for (const vector of vectors) for (const value of vector) expect(Number.isFinite(value)).toBe(true);
      const again = await provider().embed(asking([...TEXTS].reverse()), target(), context());
      [...again].reverse().forEach((vector, at) => {
        expect(cosine(vector, vectors[at] ?? [])).toBeCloseTo(1, 4);
      });
      expect(cosine(vectors[0] ?? [], vectors[1] ?? [])).toBeLessThan(0.99);
    });

    it('takes as many texts as it says', async () => {
      const { maxTexts } = provider().definition;
      const texts = Array.from({ length: maxTexts }, (_, at) => `text ${at}`);
      expect(await provider().embed(asking(texts), target(), context())).toHaveLength(maxTexts);
    });

    it('refuses to begin for a caller that is gone', async () => {
      const answer = provider().embed(asking(['x']), target(), context(AbortSignal.abort()));
      await expect(answer).rejects.toBeInstanceOf(AppError);
      await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
    });

    it('stops waiting when the caller leaves', async () => {
      const leave = new AbortController();
      const answer = provider().embed(asking(TEXTS), target(), context(leave.signal));
      leave.abort();
      await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
    });
  });
}

const cosine = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));
