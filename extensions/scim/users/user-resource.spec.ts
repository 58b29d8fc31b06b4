import { ScimError } from '../../../src/infrastructure/http';
import { operationsOf } from '../protocol/patch';
import { patchedUser, type ScimUserValues, userOf } from './user-resource';

describe('many addresses of a user', () => {
  it('are refused at once, before each is compared with every other', () => {
    const user = userOf({ userName: 'ada' });
    const value = Array.from({ length: 40 }, (_, number) => ({ value: `a${number}@uni.example` }));
    const add = (from: number) => ({ op: 'add', path: 'emails', value: value.slice(from, from + 20) });
    expect(patchedUser(user, operationsOf({ Operations: [add(0)] })).emails).toHaveLength(20);
    const later = { op: 'replace', path: 'emails', value: [] };
    expect(() => patchedUser(user, operationsOf({ Operations: [add(0), add(20), later] }))).toThrow(ScimError);
  });
});

describe('PATCH of addresses (RFC 7644 §3.5.2)', () => {
  const work = { value: 'work@uni.example', type: 'work', primary: true };
  const home = { value: 'home@uni.example', type: 'home' };
  const user: ScimUserValues = {
    userName: 'ada',
    externalId: null,
    displayName: 'Ada',
    name: {},
    emails: [work, home],
    active: true,
  };
  const patched = (...operations: object[]): ScimUserValues =>
    patchedUser(user, operationsOf({ Operations: operations }));
  const notPrimary = { ...work, primary: false };
  const other = { value: 'other@uni.example', primary: true };

  it.each<[string, object, unknown[]]>([
    [
      'a boolean as text finds the primary one',
      { op: 'replace', path: 'emails[primary eq "True"].value', value: 'new@uni.example' },
      [{ ...work, value: 'new@uni.example' }, home],
    ],
    [
      'a new primary one takes the mark from the other',
      { op: 'add', path: 'emails', value: [other] },
      [notPrimary, home, other],
    ],
    [
      'so does one that becomes primary',
      { op: 'replace', path: 'emails[type eq "home"].primary', value: 'true' },
      [notPrimary, { ...home, primary: true }],
    ],
    [
      'so does one that a filter makes',
      { op: 'add', path: 'emails[type eq "other" and primary eq true].value', value: 'other@uni.example' },
      [notPrimary, home, { ...other, type: 'other' }],
    ],
    [
      'removal of a part leaves the rest',
      { op: 'remove', path: 'emails[type eq "work"].primary' },
      [{ value: work.value, type: 'work' }, home],
    ],
    ['removal of one leaves the others', { op: 'remove', path: 'emails[type eq "home"]' }, [work]],
    ['an empty value removes', { op: 'replace', path: 'emails[type eq "home"].value', value: '' }, [work]],
    [
      'empty ones beside a good one are left out',
      { op: 'replace', path: 'emails', value: [{ value: null }, home] },
      [home],
    ],
  ])('%s', (_, operation, emails) => expect(patched(operation).emails).toEqual(emails));

  it.each<[object, object]>([
    [{ op: 'Replace', path: 'active', value: [{ $ref: null, value: 'False' }] }, { active: false }],
    [{ op: 'Replace', path: 'displayName', value: [{ $ref: null, value: 'A. L.' }] }, { displayName: 'A. L.' }],
    [
      { op: 'Replace', value: { active: 'False', 'name.givenName': 'Ada' } },
      { active: false, name: { givenName: 'Ada' } },
    ],
  ])('takes the form %j', (operation, expected) => expect(patched(operation)).toMatchObject(expected));

  it('leaves addresses without a value out of a new user', () => {
    expect(
      userOf({ userName: 'ada', emails: [{ value: '', type: 'home' }, work, { type: 'other', value: null }] }).emails,
    ).toEqual([work]);
  });
});
