import { AppError } from '@bellwether/kernel';
import { DEFAULT_CALL_LIMITS } from '../contract';
import { retryDelay } from './call-model';
import { retryAfterMs, UpstreamFailure } from './upstream-failure';

const failure = (retryAfterMs: number | null = null, retryable = true) =>
  new UpstreamFailure(new AppError('upstream_error', 'x'), retryable, retryAfterMs);
const delay = (given: UpstreamFailure, attempt = 1, remaining = 100_000) =>
  retryDelay(given, attempt, DEFAULT_CALL_LIMITS, remaining, () => 0);

describe('waiting before another try', () => {
  it('doubles from half a second, with up to a quarter off', () => {
    expect([1, 2].map((attempt) => delay(failure(), attempt))).toEqual([500, 1000]);
    expect(retryDelay(failure(), 1, DEFAULT_CALL_LIMITS, 100_000, () => 1)).toBe(375);
  });

  it('asks three times in all', () => expect(delay(failure(), 3)).toBeNull());
  it('does not repeat what is final', () => expect(delay(failure(null, false))).toBeNull());
  it('waits as long as the vendor asks', () => expect(delay(failure(1_000))).toBe(1_000));
  it('also when it asks for no wait at all', () => expect(delay(failure(0))).toBe(0));
  it.each([20_001, 60_000, 3_600_000])('stops when the vendor asks for %d ms', (wish) =>
    expect(delay(failure(wish))).toBeNull(),
  );
  it('stops when the wait would outlast the call', () => expect(delay(failure(5_000), 1, 4_000)).toBeNull());
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    [{ 'retry-after': '1' }, 1_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }, 7_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '' }, null],
    [{}, null],
  ])('of %j is %s ms', (headers, expected) => expect(retryAfterMs(headers, now)).toBe(expected));
});
