import { FolderEmbeddings, openModelFolder } from '@bellwether/model-folder';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEmbeddingProvider } from '../../src/connectors/testing/embedding-provider.conformance';
import { modelFolder } from '../support/model-folder';

const NOW = { signal: new AbortController().signal, timeoutMs: 20_000, tries: 1, maxWaitMs: 0 };

let parent: string;
const opened: FolderEmbeddings[] = [];
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'bellwether-model-'));
});
afterAll(async () => {
  for (const each of opened) await each.end();
  rmSync(parent, { recursive: true });
});

function provider(name = 'tiny'): FolderEmbeddings {
  const made = new FolderEmbeddings(openModelFolder(modelFolder(join(parent, name))));
  opened.push(made);
  return made;
}

const asking = (texts: string[], more: object = {}) => ({
  model: 'tiny',
  texts,
  purpose: 'passage' as const,
  dimensions: null,
  ...more,
});

describeEmbeddingProvider('folder', { provider, target: () => ({}) as never, model: 'tiny' });

describe('a folder of static vectors', () => {
  it('gives a text the mean of its tokens, and leaves unknown ones out', async () => {
    const [water, both, unknown] = await provider().embed(asking(['Water', 'water light zzz', 'zzz']), null, NOW);
    expect(water).toEqual([1, 0, 0]);
    expect(both).toEqual([1, 2, 0]);
    expect(unknown).toEqual([1, 0, 0]);
  });

  it('weighs tokens and follows the table of rows', async () => {
    const folder = modelFolder(join(parent, 'weighed'), {
      embeddings: { dtype: 'F16', shape: [2, 3], values: Uint16Array.from([0x3c00, 0, 0, 0, 0x4000, 0]) },
      mapping: { dtype: 'I64', shape: [3], values: BigInt64Array.from([0n, 0n, 1n]) },
      weights: { dtype: 'F64', shape: [3], values: Float64Array.from([1, 1, 0.5]) },
    });
    const weighed = new FolderEmbeddings(openModelFolder(folder));
    opened.push(weighed);
    expect(await weighed.embed(asking(['water light'], { model: 'weighed' }), null, NOW)).toEqual([[1, 1, 0]]);
  });

  it('refuses another model and another number of dimensions', async () => {
    await expect(provider().embed(asking(['x'], { model: 'huge' }), null, NOW)).rejects.toThrow('is tiny, not huge');
    await expect(provider().embed(asking(['x'], { dimensions: 2 }), null, NOW)).rejects.toThrow('has 3 dimensions');
  });

  it('ends a call over its time, before and after the model is read, and answers the next one', async () => {
    const slow = provider();
    const long = Array.from({ length: 32 }, () => 'water '.repeat(3_000));
    const late = () => slow.embed(asking(long), null, { ...NOW, timeoutMs: 0 });
    await expect(late()).rejects.toThrow('took too long');
    expect(await slow.embed(asking(['water']), null, NOW)).toEqual([[1, 0, 0]]);
    await expect(late()).rejects.toThrow('took too long');
    expect(await slow.embed(asking(['water']), null, NOW)).toEqual([[1, 0, 0]]);
  });
});
