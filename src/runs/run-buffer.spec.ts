import { Run } from './run';
import { RunBuffer, type RunSink } from './run-endings';
import { finishedRecord } from './run-record';
import type { RunRecord } from './run.types';
import { runInput } from './testing/run-input';

const record = (): RunRecord => finishedRecord(new Run(runInput()), { status: 'completed' });

class FakeSink implements RunSink {
  readonly batches: (readonly RunRecord[])[] = [];
  readonly losses: [number, string][] = [];
  down = false;

  async write(batch: readonly RunRecord[]): Promise<readonly RunRecord[]> {
    if (this.down) throw new Error('no database');
    this.batches.push(batch);
    return [];
  }
  dropped(count: number, reason: string): void {
    this.losses.push([count, reason]);
  }
}

describe('RunBuffer', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('writes what came together in one batch, within the delay', async () => {
    const sink = new FakeSink();
    const buffer = new RunBuffer(sink);
    const records = [record(), record(), record()];
    records.forEach((each) => buffer.add(each));
    expect(sink.batches).toEqual([]);
    await jest.advanceTimersByTimeAsync(250);
    expect(sink.batches).toEqual([records]);
    expect(buffer.size).toBe(0);
  });

  it('finds a record until it is in the table', async () => {
    const sink = new FakeSink();
    const buffer = new RunBuffer(sink);
    const one = record();
    buffer.add(one);
    expect(buffer.find(one.id)).toBe(one);
    await buffer.flush();
    expect(buffer.find(one.id)).toBeUndefined();
  });

  it('flushes in batches and in order, what arrives meanwhile not awaited', async () => {
    const sink = new FakeSink();
    const buffer = new RunBuffer(sink, { batchSize: 2 });
    const records = [record(), record(), record()];
    records.forEach((each) => buffer.add(each));
    await buffer.flush();
    expect(sink.batches.map((batch) => batch.length)).toEqual([2, 1]);
    expect(sink.batches.flat()).toEqual(records);
  });

  it('keeps records while the database is away, writes them when it is back', async () => {
    const sink = new FakeSink();
    sink.down = true;
    const buffer = new RunBuffer(sink);
    buffer.add(record());
    await jest.advanceTimersByTimeAsync(20_000);
    await expect(buffer.flush()).rejects.toThrow('no database');
    expect(buffer.size).toBe(1);
    sink.down = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(sink.batches).toHaveLength(1);
    expect(sink.losses).toEqual([]);
  });

  it('drops records with a word when the database stays away for longer than five minutes', async () => {
    const sink = new FakeSink();
    sink.down = true;
    const buffer = new RunBuffer(sink);
    buffer.add(record());
    await jest.advanceTimersByTimeAsync(290_000);
    buffer.add(record());
    await jest.advanceTimersByTimeAsync(12_000);
    expect(sink.losses).toEqual([[1, 'unavailable']]);
    expect(buffer.size).toBe(1);
  });

  it('drops new records with a word when it is full', () => {
    const sink = new FakeSink();
    const buffer = new RunBuffer(sink, { capacity: 1 });
    buffer.add(record());
    buffer.add(record());
    expect(sink.losses).toEqual([[1, 'full']]);
  });

  it('leaves no timer behind', async () => {
    const buffer = new RunBuffer(new FakeSink());
    buffer.add(record());
    await jest.advanceTimersByTimeAsync(250);
    expect(jest.getTimerCount()).toBe(0);
  });
});
