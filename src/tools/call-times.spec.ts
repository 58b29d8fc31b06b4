import fc from 'fast-check';
import { bucketOf, mergeBuckets, percentile } from './tool-statistics';
import { type LearnedTime, LearnedTimes, type TimeKey, callTimes } from './call-pipeline';

const known = (longestMs: number): LearnedTime => ({
  tries: 60,
  successes: 60,
  longestMs,
  longestSuccessMs: longestMs,
  averageSuccessMs: longestMs / 2,
});
const times = (learned: LearnedTime | null, timeoutMs: number | null = null) =>
  callTimes({ timeoutMs, baseMs: 30_000, learned });

describe('the time of a call', () => {
  it('is the configured one without history', () => {
    expect(times(null)).toEqual({ totalMs: 30_000, tryMs: 30_000, usualMs: 0, fairMs: 15_000 });
  });

  it('that an entry names is shortened by nothing', () => {
    expect(times(known(10), 20_000)).toMatchObject({ totalMs: 20_000, tryMs: 20_000, usualMs: 0 });
    expect(times(known(10), 500)).toMatchObject({ totalMs: 500, tryMs: 500, usualMs: 0 });
  });

  it('leaves a try four times the longest, at least half of the configured time, at most all of it', () => {
    expect(times(known(10))).toMatchObject({ totalMs: 30_000, tryMs: 15_000 });
    expect(times(known(5_000))).toMatchObject({ totalMs: 30_000, tryMs: 20_000 });
    expect(times(known(15_000))).toMatchObject({ totalMs: 30_000, tryMs: 30_000 });
  });
});

describe('the time after which a silent server is to blame', () => {
  it('is what the tool is known to take, a second at least, whatever an entry allows', () => {
    expect(times(known(4_000), 1_000)).toMatchObject({ fairMs: 4_000 });
    expect(times(known(10), 50)).toMatchObject({ fairMs: 1_000 });
    expect(times(known(33_000))).toMatchObject({ fairMs: 27_000 });
  });

  it('is half of what the tool may take while nobody knows, or where no call succeeded', () => {
    expect(times(null, 1_000)).toMatchObject({ fairMs: 15_000 });
    const failedOnly = { ...known(100), successes: 0, longestSuccessMs: 0, averageSuccessMs: 0 };
    expect(times(failedOnly)).toEqual({ totalMs: 30_000, tryMs: 30_000, usualMs: 0, fairMs: 15_000 });
  });
});

describe('learned times', () => {
  const key = (more: Partial<TimeKey> = {}): TimeKey => ({
    organizationId: 'o',
    plugin: 'simple_rag',
    target: null,
    variant: '',
    configKey: '{"collections":["a"]}',
    ...more,
  });
  const after = (quick: number, key_ = key()): LearnedTimes => {
    const learned = new LearnedTimes();
    for (let call = 0; call < quick; call += 1) learned.record(key_, 10, true);
    return learned;
  };

  it('need fifty tries', () => {
    expect(after(49).of(key())).toBeNull();
    expect(after(50).of(key())).toMatchObject({ tries: 50, successes: 50, longestMs: 10, averageSuccessMs: 10 });
  });

  it.each<[string, Partial<TimeKey>]>([
    ['organization', { organizationId: 'other' }],
    ['tool', { plugin: 'vector_search' }],
    ['server', { target: 'kb.example:443' }],
    ['way of working', { variant: 'rewriting' }],
    ['collection', { configKey: '{"collections":["b"]}' }],
    ['rewriting of the question', { configKey: '{"collections":["a"],"rewrite_query":true}' }],
  ])('of one %s say nothing of another', (_, more) => {
    expect(after(60).of(key(more))).toBeNull();
  });

  it('remember one slow or failed try among quick ones for fifty more, and forget it after a hundred', () => {
    const learned = after(500);
    learned.record(key(), 15_000, false);
    expect(learned.of(key())).toMatchObject({ longestMs: 15_000, longestSuccessMs: 10 });
    for (let call = 0; call < 50; call += 1) learned.record(key(), 10, true);
    expect(learned.of(key())).toMatchObject({ longestMs: 15_000 });
    for (let call = 0; call < 50; call += 1) learned.record(key(), 10, true);
    expect(learned.of(key())).toMatchObject({ longestMs: 10 });
  });
});

describe('durations in buckets', () => {
  it('give percentiles at most 19 % above the true ones, merged or not', () => {
    const durations = fc.array(fc.double({ min: 1, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 100 });
    const counted = (all: readonly number[]): number[] =>
      all.reduce<number[]>((sum, ms) => mergeBuckets(sum, [...Array<number>(bucketOf(ms)).fill(0), 1]), []);
    fc.assert(
      fc.property(durations, durations, fc.constantFrom(0.5, 0.95, 0.99), (left, right, share) => {
        const sorted = [...left, ...right].sort((a, b) => a - b);
        const exact = sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
        const read = percentile(mergeBuckets(counted(left), counted(right)), share) ?? 0;
        expect(read).toBeGreaterThanOrEqual(exact * 0.99);
        expect(read).toBeLessThanOrEqual(exact * 1.2);
      }),
    );
    expect(percentile([], 0.5)).toBeNull();
  });
});
