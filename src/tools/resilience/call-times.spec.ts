import fc from 'fast-check';
import { callTimes } from './call-times';
import { bucketOf, mergeBuckets, percentile } from './duration-histogram';
import type { ToolStats } from './tool-counts.types';

const config = { retryDelayMs: 1_000, retryBackoff: 'exponential' } as const;
const known = (p99_ms: number, timed = 50): ToolStats => ({
  calls: timed,
  failure_rate: 0,
  avg_ms: p99_ms / 2,
  p95_ms: p99_ms,
  p99_ms,
  timed,
  confidence: null,
});
const times = (stats: ToolStats | null, timeoutMs: number | null = null) =>
  callTimes({ timeoutMs, baseMs: 30_000, retries: 3, stats, config });

describe('the time of a call', () => {
  it('is the base without enough history, and the entry’s own in any case', () => {
    expect(times(null)).toEqual({ totalMs: 30_000, tryMs: 30_000, usualMs: 0, fairMs: 15_000 });
    expect(times(known(10, 49))).toEqual({ totalMs: 30_000, tryMs: 30_000, usualMs: 0, fairMs: 15_000 });
    expect(times(known(2_000), 5_000)).toEqual({ totalMs: 5_000, tryMs: 5_000, usualMs: 1_000, fairMs: 2_000 });
  });

  it('is made of generous tries, of a second at least, and never beyond the base', () => {
    expect(times(known(10))).toMatchObject({ tryMs: 1_000, totalMs: expect.closeTo(11_700) });
    expect(times(known(500))).toMatchObject({ tryMs: 2_000 });
    expect(times(known(20_000))).toMatchObject({ tryMs: 30_000, totalMs: 30_000 });
  });
});

describe('the time after which a silent server is to blame', () => {
  it('is what the tool is known to take, a second at least, whatever an entry allows', () => {
    expect(times(known(4_000), 1_000)).toMatchObject({ fairMs: 4_000 });
    expect(times(known(10), 50)).toMatchObject({ fairMs: 1_000 });
    expect(times(known(33_000))).toMatchObject({ fairMs: 27_000 });
  });

  it('is half of what the tool may take while nobody knows', () => {
    expect(times(null, 1_000)).toMatchObject({ fairMs: 15_000 });
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
