import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LTI_11_ENDS } from '../bridge.types';
import { isOver, problemOf } from './bridge-settings.service';

const NOW = Date.parse('2026-11-25T23:59:00Z');

it('ends after its last day, by UTC', () => {
  expect([isOver('2026-11-25', NOW), isOver('2026-11-24', NOW), isOver(null, NOW)]).toEqual([false, true, true]);
  expect(isOver('2026-11-25', NOW + 60_000)).toBe(true);
});

it.each([
  ['2026-02-30', false, 'until is no date'],
  ['2028-01-01', false, 'until must be at most 400 days ahead'],
  ['2026-11-24', true, 'until must not be over while enabled is true'],
  ['2026-11-24', false, null],
  ['2027-02-28', true, null],
])('the end date %s while enabled is %s: %s', (until, enabled, problem) => {
  expect(problemOf(until, enabled, NOW)?.message ?? null).toBe(problem);
});

it.each([
  'docs/guide/lti-bridge.md',
  'docs/adr/0020-lti-on-jose.md',
  'docs/contributing/architecture.md',
  'web/src/lib/extensions/lti/platforms/bridge-values.ts',
])('%s names the day after which releases have no LTI 1.1', (file) => {
  expect(readFileSync(join(__dirname, '../../../..', file), 'utf8')).toContain(LTI_11_ENDS);
});
