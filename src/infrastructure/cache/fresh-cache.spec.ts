import { FreshCache } from './fresh-cache';

function setUp(max = 10) {
  let time = 0;
  const loads: { key: string; resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const cache = new FreshCache<string, string>({
    maxAge: 5_000,
    max,
    now: () => time,
    load: (key) => new Promise((resolve, reject) => loads.push({ key, resolve, reject })),
  });
  const warm = async (key: string, value: string): Promise<void> => {
    const got = cache.get(key);
    loads.at(-1)?.resolve(value);
    await got;
  };
  return { cache, loads, warm, at: (ms: number) => (time = ms) };
}

describe('FreshCache', () => {
  it('loads once for all who ask at the same time', async () => {
    const { cache, loads } = setUp();
    const both = Promise.all([cache.get('a'), cache.get('a')]);
    expect(loads).toHaveLength(1);
    loads[0]?.resolve('one');
    await expect(both).resolves.toEqual(['one', 'one']);
    expect(cache.get('a')).toBe('one');
  });

  it('serves an ageing entry while loading it again, and never one past its age', async () => {
    const { cache, loads, warm, at } = setUp();
    await warm('a', 'old');
    at(2_500);
    expect(cache.get('a')).toBe('old');
    expect(loads).toHaveLength(2);
    at(5_000);
    const waiting = cache.get('a');
    loads[1]?.resolve('new');
    await expect(waiting).resolves.toBe('new');
  });

  it('counts the age from the start of the load, not from its end', async () => {
    const { cache, loads, at } = setUp();
    const slow = cache.get('a');
    at(4_999);
    loads[0]?.resolve('slow');
    await slow;
    at(5_000);
    expect(cache.get('a')).toBeInstanceOf(Promise);
    loads[1]?.resolve('x');
  });

  it('forgets a load that was under way when the key was deleted', async () => {
    const { cache, loads } = setUp();
    const before = cache.get('a');
    cache.delete('a');
    const after = cache.get('a');
    loads[0]?.resolve('stale');
    loads[1]?.resolve('fresh');
    await expect(before).resolves.toBe('stale');
    await expect(after).resolves.toBe('fresh');
    expect(cache.get('a')).toBe('fresh');
  });

  it('does not keep a failure', async () => {
    const { cache, loads, warm } = setUp();
    const failing = cache.get('a');
    loads[0]?.reject(new Error('down'));
    await expect(failing).rejects.toThrow('down');
    await warm('a', 'up');
    expect(cache.get('a')).toBe('up');
  });

  it('keeps no more than its maximum', async () => {
    const { cache, warm } = setUp(2);
    for (const key of ['a', 'b', 'c']) await warm(key, key);
    expect([cache.get('b'), cache.get('c')]).toEqual(['b', 'c']);
    expect(cache.get('a')).toBeInstanceOf(Promise);
  });

  it('drops the entries that a condition names', async () => {
    const { cache, warm } = setUp();
    await warm('a', 'mine');
    await warm('b', 'yours');
    cache.deleteWhere((value) => value === 'mine');
    expect(cache.get('b')).toBe('yours');
    expect(cache.get('a')).toBeInstanceOf(Promise);
  });

  it('holds no entry past its age once another one is loaded', async () => {
    const { cache, warm, at } = setUp();
    await warm('a', 'old');
    at(5_000);
    await warm('b', 'new');
    const held: string[] = [];
    cache.deleteWhere((value) => held.push(value) === 0);
    expect(held).toEqual(['new']);
  });
});
