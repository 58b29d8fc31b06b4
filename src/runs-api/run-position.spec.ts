import { lastSeenOf } from './runs.controller';

describe('where a reader of events stands', () => {
  it('is nowhere without the header', () => {
    expect(lastSeenOf(undefined)).toBeUndefined();
    // An EventSource sends an empty id before its first event.
    expect(lastSeenOf('')).toBeUndefined();
  });

  it('is the id of an event', () => {
    expect(lastSeenOf('0')).toBe(0);
    expect(lastSeenOf('41')).toBe(41);
  });

  it.each(['x', '-1', '1.5', '9999999999', ' 1', '0x1'])('is nothing else: %s', (text) => {
    expect(() => lastSeenOf(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });
});
