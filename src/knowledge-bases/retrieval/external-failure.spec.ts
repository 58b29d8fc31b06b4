import { AppError } from '@bellwether/kernel';
import { failureOfAll, noUsableAnswer, refusalOf } from './external-search';

describe('an answer of the external server other than 2xx', () => {
  it.each([
    [400, 'upstream_rejected'],
    [401, 'upstream_auth'],
    [403, 'upstream_auth'],
    [404, 'not_found'],
    [405, 'upstream_rejected'],
    [408, 'upstream_error'],
    [409, 'upstream_rejected'],
    [410, 'upstream_rejected'],
    [422, 'upstream_rejected'],
    [425, 'upstream_error'],
    [429, 'upstream_rate_limited'],
    [500, 'upstream_error'],
    [503, 'upstream_error'],
    [304, 'upstream_bad_response'],
  ])('of status %i is %s', (status, code) => {
    expect(refusalOf(status, {})).toMatchObject({ code });
  });

  it('keeps the wait that the server asks for', () => {
    expect(refusalOf(429, { 'retry-after': '7' })).toMatchObject({ retryAfter: 7 });
    expect(refusalOf(503, { 'retry-after': 'soon' }).retryAfter).toBeUndefined();
  });
});

describe('the failure of all collections', () => {
  const of = (...codes: readonly ConstructorParameters<typeof AppError>[0][]) =>
    failureOfAll(
      codes.map((code) => new AppError(code, '')),
      'No collection answered',
    ).code;

  it('passes where one of them may, and is final where none does', () => {
    expect(of('not_found', 'upstream_error')).toBe('upstream_error');
    expect(of('upstream_rejected', 'upstream_timeout')).toBe('upstream_timeout');
    expect(of('not_found', 'upstream_rejected')).toBe('upstream_rejected');
    expect(of('not_found', 'not_found')).toBe('not_found');
    expect(failureOfAll([noUsableAnswer()], '').code).toBe('upstream_bad_response');
  });

  it('waits for the longest of the waits asked for', () => {
    const failures = [3, 9].map((retryAfter) => new AppError('upstream_rate_limited', '', { retryAfter }));
    expect(failureOfAll(failures, '')).toMatchObject({ code: 'upstream_rate_limited', retryAfter: 9 });
  });
});
