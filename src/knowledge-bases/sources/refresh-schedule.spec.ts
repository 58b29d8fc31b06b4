import { nextRefresh } from './source-refresh.service';

const now = new Date('2026-03-01T00:00:00Z');
const minutes = (refresh: 'manual' | 'daily' | 'weekly', failures: number): number | null => {
  const next = nextRefresh(refresh, failures, now);
  return next === null ? null : (next.getTime() - now.getTime()) / 60_000;
};

it('a source is fetched again after its interval, sooner after failures, and never by itself when by hand', () => {
  expect([minutes('daily', 0), minutes('weekly', 0)]).toEqual([1440, 10_080]);
  expect([1, 2, 3, 8, 1_000].map((failures) => minutes('daily', failures))).toEqual([15, 30, 60, 1440, 1440]);
  expect([minutes('manual', 0), minutes('manual', 3)]).toEqual([null, null]);
});
