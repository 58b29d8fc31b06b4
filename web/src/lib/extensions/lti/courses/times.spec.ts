import { describe, expect, it } from 'vitest';
import type { Activity } from './course.types';
import { localOf, momentOf, standingOf } from './times';

const NOW = Date.parse('2027-01-20T10:00:00Z');
const activity = (more: Partial<Activity>): Activity =>
  ({ opens_at: null, closes_at: null, windows: [], ...more }) as unknown as Activity;
const window = (from: string, until: string, mode: 'closed' | 'strict') => ({
  from: `2027-01-20T${from}:00Z`,
  until: `2027-01-20T${until}:00Z`,
  mode,
  instruction: '',
});

describe('the standing of an activity', () => {
  it.each([
    ['open', {}],
    ['early', { opens_at: '2027-01-20T10:00:01Z', windows: [window('09:00', '11:00', 'closed')] }],
    ['over', { closes_at: '2027-01-20T10:00:00Z' }],
    ['closed', { windows: [window('09:00', '11:00', 'strict'), window('09:30', '10:30', 'closed')] }],
    ['strict', { windows: [window('10:00', '11:00', 'strict')] }],
    ['next', { windows: [window('12:00', '13:00', 'closed'), window('08:00', '10:00', 'closed')] }],
  ] as const)('is %s', (key, more) => expect(standingOf(activity(more as Partial<Activity>), NOW).key).toBe(key));
});

it('a time goes into a field of the reader’s time zone and back', () => {
  expect(momentOf(localOf('2027-01-20T10:05:00.000Z'))).toBe('2027-01-20T10:05:00.000Z');
  expect([localOf(null), momentOf('')]).toEqual(['', null]);
});
