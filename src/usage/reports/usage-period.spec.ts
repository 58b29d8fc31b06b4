import { daysOf, isDay, periodOf } from './usage.types';

const NOW = Date.parse('2026-03-01T23:59:59Z');

describe('periodOf', () => {
  it.each([
    [{}, '2026-01-31', '2026-03-01'],
    [{ from: '2026-02-20' }, '2026-02-20', '2026-03-01'],
    [{ to: '2026-01-30' }, '2026-01-01', '2026-01-30'],
    [{ from: '2024-02-29', to: '2024-02-29' }, '2024-02-29', '2024-02-29'],
    [{ from: '2026-04-01' }, '2026-04-01', '2026-04-01'],
    [{ from: '2024-01-01', to: '2024-12-31' }, '2024-01-01', '2024-12-31'],
  ])('%j is %s to %s', (query, from, to) => expect(periodOf(query, NOW)).toEqual({ from, to }));

  it.each([
    [{ from: '2026-02-02', to: '2026-02-01' }, 'must not be after to'],
    [{ from: '2025-01-01', to: '2026-01-02' }, 'must be at most 365 days before to'],
  ])('refuses %j', (query, message) => {
    expect(() => periodOf(query, NOW)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        problems: [expect.objectContaining({ path: 'from', message })],
      }),
    );
  });
});

it.each([
  ['2024-01-01', '2024-12-31', 366],
  ['2025-01-01', '2026-01-01', 366],
])('a period from %s to %s has the most days, and one more is refused', (from, to, days) => {
  expect(daysOf(periodOf({ from, to }, NOW))).toHaveLength(days);
  const later = new Date(Date.parse(to) + 86_400_000).toISOString().slice(0, 10);
  expect(() => periodOf({ from, to: later }, NOW)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});

describe('isDay', () => {
  it.each(['2026-02-30', '2026-2-3', '20260203', '2026-13-01', '', '2026-02-03T00:00:00Z'])('refuses %j', (text) =>
    expect(isDay(text)).toBe(false),
  );
  it('accepts a leap day', () => expect(isDay('2024-02-29')).toBe(true));
});

describe('daysOf', () => {
  it('holds every day once, across a change of clocks and a leap day', () => {
    expect(daysOf({ from: '2024-02-28', to: '2024-03-01' })).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
    expect(daysOf({ from: '2026-10-24', to: '2026-10-26' })).toHaveLength(3);
  });
});
