import type { Caller } from '@bellwether/kernel';
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
    expect(expectedVersion(session, header, 'demanded')).toBe(expected);
  });

  it('is required from sessions and not from keys', () => {
    expect(expectedVersion(key, undefined, 'demanded')).toBeNull();
    expect(expectedVersion(session, undefined, 'welcome')).toBeNull();
    expect(() => expectedVersion(session, ' ', 'demanded')).toThrow(
      expect.objectContaining({ code: 'precondition_required' }) as Error,
    );
  });

  it('fails for a tag that no version has', () => {
    expect(() => expectedVersion(key, '"abc"', 'welcome')).toThrow(
      expect.objectContaining({ code: 'precondition_failed' }) as Error,
    );
  });
});
