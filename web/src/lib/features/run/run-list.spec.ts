import { describe, expect, it } from 'vitest';
import { startOfDay } from './run-list';

describe('the days of a filter', () => {
  it('begin at midnight of the reader, and end with the day', () => {
    expect(startOfDay('2026-11-30')).toBe(new Date(2026, 10, 30).toISOString());
    expect(startOfDay('2026-11-30', 1)).toBe(new Date(2026, 11, 1).toISOString());
  });

  it.each([null, undefined, '', 'yesterday', '2026-1-1'])('are left out: %j', (day) =>
    expect(startOfDay(day)).toBeUndefined(),
  );
});
