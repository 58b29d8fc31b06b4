import { expect, it } from 'vitest';
import { overwritesNothing } from '$lib/kit/ui/differences';
import { type Bridge, changeOf, valuesOf } from './bridge-values';

const STORED: Bridge = {
  enabled: false,
  until: null,
  state: 'off',
  assistant_secret_configured: true,
  continued_by: ['a', 'b'],
  launch_urls: { activity: '', assistant: '', creator: '' },
  version: 1,
  updated_at: null,
};

it('sends only what differs', () => {
  expect(changeOf(STORED, valuesOf(STORED))).toEqual({});
  const values = { ...valuesOf(STORED), enabled: true, until: '2027-02-28', continuedBy: ['b', 'a'] };
  expect(changeOf(STORED, values)).toEqual({ enabled: true, until: '2027-02-28' });
  expect(changeOf({ ...STORED, until: '2027-02-28' }, valuesOf(STORED))).toEqual({ until: null });
});

it('sends a secret that was typed, or its removal', () => {
  const values = { ...valuesOf(STORED), secret: 'typed' };
  expect(changeOf(STORED, values)).toEqual({ assistant_secret: 'typed' });
  expect(changeOf(STORED, { ...values, clearSecret: true })).toEqual({ assistant_secret: null });
  expect(changeOf({ ...STORED, assistant_secret_configured: false }, { ...values, clearSecret: true })).toEqual({});
});

it('overwrites what another person changed only after a question', () => {
  const theirs = { ...STORED, until: '2027-02-28' };
  expect(overwritesNothing(STORED, theirs, { enabled: true, assistant_secret: 'mine' })).toBe(true);
  expect(overwritesNothing(STORED, theirs, { until: '2027-03-31' })).toBe(false);
});
