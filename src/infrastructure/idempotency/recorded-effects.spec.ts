import type { Transaction } from '../database';
import { RecordedEffects } from './idempotency.service';

const tx = {} as Transaction;

function setUp(recorded: Record<string, unknown> | unknown[] = {}) {
  const stored: unknown[] = [];
  const effects = new RecordedEffects(recorded, (values) => Promise.resolve(void stored.push(values)));
  const run = (name: string, value: unknown): Promise<unknown> =>
    effects.once(name, async (record) => {
      await record(value, tx);
      return value;
    });
  return { effects, stored, run };
}

describe('RecordedEffects', () => {
  it('stores every value under the name of its call', async () => {
    const { run, stored } = setUp();
    await run('note.create', 'n1');
    await run('key.create', 'k1');
    expect(stored).toEqual([{ 'note.create': 'n1' }, { 'note.create': 'n1', 'key.create': 'k1' }]);
  });

  it('gives a recorded value back in whatever order the calls come', async () => {
    const { effects, run, stored } = setUp({ 'note.create': 'n1', 'key.create': 'k1' });
    expect(effects.isDone('key.create')).toBe(true);
    expect([await run('key.create', 'new'), await run('note.create', 'new')]).toEqual(['k1', 'n1']);
    expect(stored).toEqual([]);
  });

  it.each([undefined, null, false])('does not keep %s', async (nothing) => {
    const { effects, run, stored } = setUp();
    await run('note.create', nothing);
    expect(stored).toEqual([]);
    expect(effects.isDone('note.create')).toBe(false);
  });

  it('gives back values that an older version stored by position', async () => {
    const { effects, run, stored } = setUp(['n1']);
    expect(await run('note.create', 'new')).toBe('n1');
    expect(effects.isDone('key.create')).toBe(false);
    await run('key.create', 'k1');
    expect(stored).toEqual([{ 'note.create': 'n1', 'key.create': 'k1' }]);
  });

  it('neither reads nor stores once the request has ended', async () => {
    const { effects, run, stored } = setUp({ 'note.create': 'n1' });
    effects.close();
    expect(await run('note.create', 'new')).toBe('new');
    expect(stored).toEqual([]);
  });
});
