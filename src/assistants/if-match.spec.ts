import type { Caller } from '../kernel';
import { expectedVersion } from './if-match';

const key = { kind: 'api_key' } as Caller;
const session = { kind: 'session' } as Caller;

describe('If-Match', () => {
  it.each([
    ['"3"', 3],
    ['W/"3"', 3],
    ['3', 3],
    ['*', null],
  ])('reads %s', (header, expected) => {
    expect(expectedVersion(session, header)).toBe(expected);
  });

  it('is required from sessions and not from keys', () => {
    expect(expectedVersion(key, undefined)).toBeNull();
    expect(() => expectedVersion(session, undefined)).toThrow(
      expect.objectContaining({ code: 'precondition_required' }) as Error,
    );
  });

  it('fails for a tag that no version has', () => {
    expect(() => expectedVersion(key, '"abc"')).toThrow(
      expect.objectContaining({ code: 'precondition_failed' }) as Error,
    );
  });
});
