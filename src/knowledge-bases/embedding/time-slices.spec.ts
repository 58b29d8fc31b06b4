import type { VectorStore } from '../search/vector-store';
import { ChunkEmbedder, ChunkVectors, EmbeddingTimeSliceEnded } from './chunk-embedder';
import type { CacheScope, CachedVector } from './embedding-cache.repository';
import { IndexBuilder } from './index-builder';

const embedding = { provider: 'openai', model: 'm', dimensions: 2 };
const organizationId = 'o';
const target = { organizationId, knowledgeBaseId: 'k', documentId: 'd', generation: 'g' };
const chunk = { id: '1', section: '', text: 'a' };
const { signal } = new AbortController();
const never = (each: AbortSignal): Promise<never> =>
  new Promise((_, reject) => each.addEventListener('abort', () => reject(each.reason as Error)));

const as = <T>(part: object): T => part as T;
type EmbedderParts = ConstructorParameters<typeof ChunkEmbedder>;
type BuilderParts = ConstructorParameters<typeof IndexBuilder>;
type VectorParts = ConstructorParameters<typeof ChunkVectors>;

describe('a document whose vendor is slow', () => {
  const embedder = (make: (signal: AbortSignal) => Promise<void>): ChunkEmbedder =>
    new ChunkEmbedder(
      as<EmbedderParts[0]>({ state: async () => ({ vectorIndex: 1, vectorEmbedding: embedding }) }),
      as<VectorStore>({ available: true }),
      as<EmbedderParts[2]>({ missingOf: async () => [chunk], progressOf: async () => ({ current: 0, total: 1 }) }),
      as<EmbedderParts[3]>({ make: (_: unknown, __: unknown, ___: unknown, each: AbortSignal) => make(each) }),
      as<EmbedderParts[4]>({}),
    );

  it('gives its place up when its turn is over, to be tried again', async () => {
    const work = embedder(never).embedGeneration(target, { signal, done: () => undefined }, 20);
    await expect(work).rejects.toBeInstanceOf(EmbeddingTimeSliceEnded);
    await expect(work).rejects.toMatchObject({ code: 'upstream_timeout' });
  });

  it('tells whoever cancels it why it ended', async () => {
    const abort = new AbortController();
    const work = embedder(never).embedGeneration(target, { signal: abort.signal, done: () => undefined });
    setTimeout(() => abort.abort(new Error('cancelled by its owner')), 5);
    await expect(work).rejects.toThrow('cancelled by its owner');
  });
});

describe('an index that takes long', () => {
  it('goes behind the others after its turn, and is done in the end', async () => {
    let left = 3;
    const sent: string[] = [];
    const written: unknown[] = [];
    const state = { embedding, vectorIndex: null, vectorEmbedding: null, nextVectorIndex: 7 };
    const builder = new IndexBuilder(
      as<BuilderParts[0]>({
        state: async () => state,
        locked: async () => state,
        write: async (_: unknown, next: unknown) => void written.push(next),
      }),
      as<VectorStore>({ available: true }),
      as<BuilderParts[2]>({ missing: async () => (left > 0 ? [chunk] : []) }),
      as<BuilderParts[3]>({ make: async (_: unknown, __: unknown, { length }: unknown[]) => void (left -= length) }),
      as<BuilderParts[4]>({ run: (work: (tx: object) => Promise<unknown>) => work({}) }),
      as<BuilderParts[5]>({
        declare: () => undefined,
        wake: () => undefined,
        send: async (_: unknown, [job]: { key: string }[]) => void sent.push(job?.key ?? ''),
      }),
    );
    const job = { data: { organizationId, id: 'k' }, lastTry: false, signal };
    await builder.run(job, 0);
    expect([left, sent, written]).toEqual([2, ['k'], []]);
    await builder.run(job, 60_000);
    expect(left).toBe(0);
    expect(sent).toEqual(['k']);
    expect(written).toMatchObject([{ vectorIndex: 7, nextVectorIndex: null }]);
  });
});

describe('vectors that are kept', () => {
  let identity = 'https://one.example';
  const asked: string[][] = [];
  const cache = new Map<string, readonly number[]>();
  const stored: { chunkId: string; vector: readonly number[] }[] = [];
  const vectors = new ChunkVectors(
    as<VectorParts[0]>({
      identity: async () => identity,
      textsAtOnce: () => 2,
      embed: async (_: string, { texts }: { texts: string[] }) => {
        asked.push(texts);
        if (texts.includes('bad')) throw new Error('refused');
        return texts.map(() => [1, 0]);
      },
    }),
    as<VectorParts[1]>({
      find: async (_: CacheScope, hashes: string[]) =>
        new Map(hashes.flatMap((hash) => (cache.has(hash) ? [[hash, cache.get(hash)]] : []))),
      add: async (_: CacheScope, __: string, made: CachedVector[]) =>
        void made.forEach(({ hash, vector }) => cache.set(hash, vector)),
    }),
    as<VectorParts[2]>({ add: async (_: unknown, made: typeof stored) => void stored.push(...made) }),
  );
  const embed = async (...texts: string[]) => {
    stored.splice(0);
    const chunks = texts.map((text, at) => ({ id: String(at), section: '', table_header: null, text }));
    await vectors.make({ ...target, index: 1 }, embedding, chunks, signal);
    return stored;
  };
  beforeEach(() => void asked.splice(0));

  it('are made in rounds, and those of one that was answered are not asked for again', async () => {
    await expect(embed('a', 'b', 'bad')).rejects.toThrow('refused');
    expect(asked).toEqual([['a', 'b'], ['bad']]);
    asked.splice(0);
    expect(await embed('a', 'c', 'a')).toHaveLength(3);
    expect(asked).toEqual([['c']]);
  });

  it('are not taken for those of another server or instruction', async () => {
    await embed('a');
    expect(asked).toEqual([]);
    identity = 'https://two.example';
    await embed('a');
    expect(asked).toEqual([['a']]);
  });
});
