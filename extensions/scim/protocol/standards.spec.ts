import { ScimError } from '../../../src/infrastructure/http';
import { type ScimGroupValues, groupOf, patchedGroup } from '../scim-groups.service';
import { type ScimUserValues, patchedUser, userOf } from '../users/user-resource';
import { serviceProviderConfig } from './discovery';
import { elementFilterOf, equalitiesOf, listQueryOf, listResponse, projected } from './list-query';
import { operationsOf } from './patch';

/** The result of the work, or the `scimType` of its refusal. */
function outcomeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof ScimError) return error.scimType;
    throw error;
  }
}
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const is = (attribute: string, value: string | boolean) => ({ attribute, value });

describe('a filter of a list (RFC 7644 §3.4.2.2)', () => {
  const long = (length: number): string => `userName eq "${'x'.repeat(length - 14)}"`;
  it.each<[string, string, unknown]>([
    ['Table 3: eq with a text', 'userName eq "ada"', [is('username', 'ada')]],
    ['Table 3: eq with a boolean', 'active eq false', [is('active', false)]],
    ['operators in any case', 'userName EQ "ada"', [is('username', 'ada')]],
    ['names in any case (RFC 7643 §2.1)', 'USERNAME eq "ada"', [is('username', 'ada')]],
    ['values keep their case', 'userName eq "Ada"', [is('username', 'Ada')]],
    ['values are JSON texts', String.raw`userName eq "a\"b\u00e9\/"`, [is('username', 'a"bé/')]],
    ['an escaped backslash', String.raw`userName eq "CORP\\ada"`, [is('username', String.raw`CORP\ada`)]],
    [
      'an escaped backslash at the end',
      String.raw`userName eq "a\\" and active eq true`,
      [is('username', 'a\\'), is('active', true)],
    ],
    ['a backslash that escapes nothing', String.raw`userName eq "CORP\ada"`, [is('username', String.raw`CORP\ada`)]],
    ['texts that hold filters', 'userName eq "a\\" or \\"b"', [is('username', 'a" or "b')]],
    ['texts that are numbers', 'userName eq "7" and externalId eq "0"', [is('username', '7'), is('externalid', '0')]],
    ['a text with a line', 'userName eq "a\nb"', 'invalidFilter'],
    ['an open text', 'userName eq "a', 'invalidFilter'],
    ['names with their schema (§3.10)', `${CORE}:userName eq "ada"`, [is('username', 'ada')]],
    ['the schema in any case', `${CORE.toUpperCase()}:userName eq "ada"`, [is('username', 'ada')]],
    ['sub-attributes', 'emails.value eq "a@b.example"', [is('emails.value', 'a@b.example')]],
    ['Table 4: and', 'userName eq "a" and active eq true', [is('username', 'a'), is('active', true)]],
    ['Table 4: and in any case', 'userName eq "a" AND active eq true', [is('username', 'a'), is('active', true)]],
    ['Table 5: parentheses', '(userName eq "a")', [is('username', 'a')]],
    ['Table 5: a complex filter', 'members[value eq "u"]', [is('members.value', 'u')]],
    ['a complex filter with a type', 'emails[type eq "work" and value eq "a"]', [is('emails.value', 'a')]],
    ['a complex filter of another attribute', 'phoneNumbers[value eq "1"]', 'invalidFilter'],
    ['Table 4: or is not supported', 'userName eq "a" or userName eq "b"', 'invalidFilter'],
    ['Table 4: not is not supported', 'not (userName eq "a")', 'invalidFilter'],
    ...['ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'].map((op): [string, string, unknown] => [
      `Table 3: ${op} is not supported`,
      `userName ${op} "a"`,
      'invalidFilter',
    ]),
    ['Table 3: pr is not supported', 'userName pr', 'invalidFilter'],
    ['an unknown operator', 'userName xx "a"', 'invalidFilter'],
    ['a number as value', 'userName eq 5', 'invalidFilter'],
    ['null as value', 'userName eq null', 'invalidFilter'],
    ['no value', 'userName eq', 'invalidFilter'],
    ['an open parenthesis', '(userName eq "a"', 'invalidFilter'],
    ['the longest filter', long(1_000), [is('username', 'x'.repeat(986))]],
    ['a longer filter', long(1_001), 'invalidFilter'],
  ])('%s', (_, filter, expected) => expect(outcomeOf(() => equalitiesOf(filter))).toEqual(expected));
});

describe('a filter in a path (RFC 7644 §3.5.2)', () => {
  const email = { value: 'Ada@uni.example', type: 'work', primary: true };
  it.each<[string, boolean | string]>([
    ['type eq "work"', true],
    ['TYPE eq "WORK"', true],
    ['type eq "home"', false],
    ['type ne "home"', true],
    ['type ne "work"', false],
    ['primary eq true', true],
    ['primary eq "True"', true],
    ['primary eq false', false],
    ['type pr', true],
    ['display pr', false],
    ['type eq "work" and primary eq false', false],
    ['type eq "home" or primary eq true', true],
    ['not (type eq "home")', true],
    ['type eq "home" or type eq "other" and primary eq true', false],
    ['constructor pr', false],
    ['value eq "ada\\u0040uni.example"', true],
    ['value sw "Ada"', 'invalidFilter'],
    ['value', 'invalidFilter'],
  ])('%s', (filter, expected) => expect(outcomeOf(() => elementFilterOf(filter).matches(email))).toBe(expected));
});

describe('pages and attributes (RFC 7644 §3.4.2.4, §3.9)', () => {
  it.each<[string, object, object | string]>([
    ['nothing', {}, { startIndex: 1, count: 100, conditions: [] }],
    ['an empty filter', { filter: ' ' }, { conditions: [] }],
    ['a start below 1 is 1', { startIndex: '0' }, { startIndex: 1 }],
    ['a negative start is 1', { startIndex: '-5' }, { startIndex: 1 }],
    ['the highest start', { startIndex: '10000000' }, { startIndex: 10_000_000 }],
    ['a higher start', { startIndex: '10000001' }, { startIndex: 10_000_000 }],
    ['a count of 0', { count: '0' }, { count: 0 }],
    ['a negative count is 0', { count: '-1' }, { count: 0 }],
    ['the highest count', { count: '200' }, { count: 200 }],
    ['a higher count', { count: '201' }, { count: 200 }],
    ['the longest number', { count: '9'.repeat(9) }, { count: 200 }],
    ['a longer number', { count: '9'.repeat(10) }, 'invalidValue'],
    ['no integer', { count: '1.5' }, 'invalidValue'],
    ['no number', { startIndex: 'x' }, 'invalidValue'],
    ['two counts', { count: ['1', '2'] }, 'invalidValue'],
    ['two filters', { filter: ['a', 'b'] }, 'invalidFilter'],
  ])('%s', (_, query, expected) => {
    const outcome = outcomeOf(() => listQueryOf(query));
    if (typeof expected === 'string') expect(outcome).toBe(expected);
    else expect(outcome).toMatchObject(expected);
  });

  it('§3.4.2: a list says how many there are, where it begins and how many it holds', () =>
    expect(listResponse([{ id: '1' }], 7, 3)).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 7,
      startIndex: 3,
      itemsPerPage: 1,
      Resources: [{ id: '1' }],
    }));

  const resource = { schemas: [CORE], id: '1', userName: 'ada', name: { givenName: 'Ada' }, meta: {} };
  it.each<[string, object, string[]]>([
    ['neither', {}, ['schemas', 'id', 'userName', 'name', 'meta']],
    ['attributes', { attributes: 'userName' }, ['schemas', 'id', 'userName']],
    ['attributes in any case', { attributes: 'USERNAME' }, ['schemas', 'id', 'userName']],
    ['attributes with their schema', { attributes: `${CORE}:userName` }, ['schemas', 'id', 'userName']],
    ['a part of an attribute', { attributes: 'name.givenName' }, ['schemas', 'id', 'name']],
    ['several with blanks', { attributes: 'userName, meta' }, ['schemas', 'id', 'userName', 'meta']],
    ['an unknown one', { attributes: 'nothing' }, ['schemas', 'id']],
    ['excluded ones', { excludedAttributes: 'meta,name' }, ['schemas', 'id', 'userName']],
    [
      'what is always returned (RFC 7643 §7)',
      { excludedAttributes: 'id,schemas,meta' },
      ['schemas', 'id', 'userName', 'name'],
    ],
  ])('§3.9: %s', (_, query, names) => expect(Object.keys(projected(resource, query))).toEqual(names));

  it('RFC 7643 §5: the description says what is supported, with the limits that hold', () =>
    expect(serviceProviderConfig('https://own.example/scim/v2')).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
    }));
});

describe('PATCH (RFC 7644 §3.5.2)', () => {
  const work = { value: 'w@uni.example', type: 'work', primary: true };
  const home = { value: 'h@uni.example', type: 'home' };
  const user: ScimUserValues = {
    userName: 'ada',
    externalId: 'x1',
    displayName: 'Ada',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [work, home],
    active: true,
  };
  const group: ScimGroupValues = { displayName: 'Course', externalId: 'g1', members: ['u1', 'u2'] };
  const ofUser = (...Operations: unknown[]) => outcomeOf(() => patchedUser(user, operationsOf({ Operations })));
  const ofGroup = (...Operations: unknown[]) => outcomeOf(() => patchedGroup(group, operationsOf({ Operations })));

  it.each<[string, object, Partial<ScimUserValues>]>([
    [
      '§3.5.2.1 add: a new value',
      { op: 'add', path: 'name.middleName', value: 'K' },
      { name: { ...user.name, middleName: 'K' } },
    ],
    ['§3.5.2.1 add: a single value is replaced', { op: 'add', path: 'displayName', value: 'A' }, { displayName: 'A' }],
    ['§3.5.2.1 add: without a path', { op: 'add', value: { displayName: 'A' } }, { displayName: 'A' }],
    [
      '§3.5.2.1 add: to a list',
      { op: 'add', path: 'emails', value: [{ value: 'n@uni.example' }] },
      { emails: [work, home, { value: 'n@uni.example' }] },
    ],
    [
      '§3.5.2.1 add: a complex value is merged',
      { op: 'add', path: 'name', value: { givenName: 'A.' } },
      { name: { ...user.name, givenName: 'A.' } },
    ],
    ['§3.5.2.2 remove: a value', { op: 'remove', path: 'displayName' }, { displayName: null }],
    [
      '§3.5.2.2 remove: a sub-attribute',
      { op: 'remove', path: 'name.givenName' },
      { name: { familyName: 'Lovelace' } },
    ],
    ['§3.5.2.2 remove: a complex value', { op: 'remove', path: 'name' }, { name: {} }],
    ['§3.5.2.2 remove: the values of a filter', { op: 'remove', path: 'emails[type eq "home"]' }, { emails: [work] }],
    ['§3.5.2.2 remove: all values', { op: 'remove', path: 'emails' }, { emails: [] }],
    ['§3.5.2.2 remove: values that are not there', { op: 'remove', path: 'emails[type eq "x"]' }, {}],
    ['§3.5.2.3 replace: a value', { op: 'replace', path: 'userName', value: 'a.l' }, { userName: 'a.l' }],
    [
      '§3.5.2.3 replace: without a path',
      { op: 'replace', value: { userName: 'a.l', active: false } },
      { userName: 'a.l', active: false },
    ],
    ['§3.5.2.3 replace: a list', { op: 'replace', path: 'emails', value: [home] }, { emails: [home] }],
    [
      '§3.5.2.3 replace: a sub-attribute of a filter',
      { op: 'replace', path: 'emails[type eq "home"].value', value: 'n@uni.example' },
      { emails: [work, { ...home, value: 'n@uni.example' }] },
    ],
    [
      '§3.5.2.3 replace: what is not there is added',
      { op: 'replace', path: 'name.middleName', value: 'K' },
      { name: { ...user.name, middleName: 'K' } },
    ],
    [
      '§3.5.2: a new primary value takes the mark',
      { op: 'add', path: 'emails', value: [{ value: 'n@uni.example', primary: true }] },
      { emails: [{ ...work, primary: false }, home, { value: 'n@uni.example', primary: true }] },
    ],
    ['§3.10: a path with its schema', { op: 'replace', path: `${CORE}:displayName`, value: 'A' }, { displayName: 'A' }],
    ['RFC 7643 §2.1: names in any case', { OP: 'Replace', PATH: 'DISPLAYNAME', Value: 'A' }, { displayName: 'A' }],
    ['attributes that are not stored', { op: 'add', path: 'nickName', value: 'A' }, {}],
    ['attributes of extensions', { op: 'add', path: 'urn:example:2.0:User:x', value: 'A' }, {}],
  ])('%s', (_, operation, changes) => expect(ofUser(operation)).toEqual({ ...user, ...changes }));

  it.each<[string, object, Partial<ScimGroupValues>]>([
    [
      '§3.5.2.1 add: members',
      { op: 'add', path: 'members', value: [{ value: 'u3' }] },
      { members: ['u1', 'u2', 'u3'] },
    ],
    ['§3.5.2.1 add: a member that is there', { op: 'add', path: 'members', value: [{ value: 'u1' }] }, {}],
    ['§3.5.2.2 remove: one member', { op: 'remove', path: 'members[value eq "u1"]' }, { members: ['u2'] }],
    ['§3.5.2.2 remove: all members', { op: 'remove', path: 'members' }, { members: [] }],
    [
      '§3.5.2.3 replace: all members',
      { op: 'replace', path: 'members', value: [{ value: 'u3' }] },
      { members: ['u3'] },
    ],
    ['§3.5.2.3 replace: the name', { op: 'replace', path: 'displayName', value: 'Other' }, { displayName: 'Other' }],
    ['§3.5.2.3 replace: members with nobody', { op: 'replace', path: 'members', value: [] }, { members: [] }],
  ])('of a group, %s', (_, operation, changes) => expect(ofGroup(operation)).toEqual({ ...group, ...changes }));

  const many = (length: number): unknown[] =>
    Array.from({ length }, () => ({ op: 'replace', path: 'active', value: true }));
  it.each<[string, unknown[], string]>([
    ['Table 9 invalidSyntax: no operation', [], 'invalidSyntax'],
    ['Table 9 invalidSyntax: another verb', [{ op: 'move', path: 'active' }], 'invalidSyntax'],
    ['Table 9 invalidSyntax: an operation that is no object', [null], 'invalidSyntax'],
    ['Table 9 invalidPath: an open bracket', [{ op: 'add', path: 'emails[', value: 1 }], 'invalidPath'],
    ['Table 9 invalidPath: a path that is no text', [{ op: 'add', path: 7, value: 1 }], 'invalidPath'],
    ['Table 9 invalidFilter', [{ op: 'add', path: 'emails[x].value', value: 1 }], 'invalidFilter'],
    ['Table 9 noTarget: a removal without a path', [{ op: 'remove' }], 'noTarget'],
    ['Table 9 invalidValue: no object without a path', [{ op: 'add', value: 'x' }], 'invalidValue'],
    ['Table 9 invalidValue: a required attribute is removed', [{ op: 'remove', path: 'userName' }], 'invalidValue'],
    ['Table 9 invalidValue: another type', [{ op: 'replace', path: 'active', value: 'maybe' }], 'invalidValue'],
    ['Table 9 tooMany: more operations than the limit', many(1_001), 'tooMany'],
  ])('%s', (_, operations, scimType) => expect(ofUser(...operations)).toBe(scimType));

  it('takes as many operations as the limit', () => expect(ofUser(...many(1_000))).toEqual(user));

  it('§3.5.2: changes nothing when one operation of several fails', () => {
    const before = structuredClone(user);
    expect(ofUser({ op: 'remove', path: 'emails' }, { op: 'remove', path: 'userName' })).toBe('invalidValue');
    expect(user).toEqual(before);
  });
});

describe('attributes (RFC 7643)', () => {
  const accepts = (make: (value: string) => unknown, longest: number): unknown[] =>
    [longest, longest + 1].map((length) => typeof outcomeOf(() => make('x'.repeat(length))));
  const userWith = (changes: object) => userOf({ userName: 'ada', ...changes });
  it.each<[string, (value: string) => unknown, number]>([
    ['userName', (userName) => userOf({ userName }), 255],
    ['externalId', (externalId) => userWith({ externalId }), 255],
    ['displayName', (displayName) => userWith({ displayName }), 200],
    ['name.givenName', (givenName) => userWith({ name: { givenName } }), 200],
    ['emails.type', (type) => userWith({ emails: [{ value: 'a@b.example', type }] }), 50],
    ['the part before the @', (text) => userWith({ emails: [{ value: `${text}@b.example` }] }), 64],
    ['the part after the @', (text) => userWith({ emails: [{ value: `a@${text}` }] }), 189],
    ['displayName of a group', (displayName) => groupOf({ displayName }), 200],
    ['externalId of a group', (externalId) => groupOf({ displayName: 'a', externalId }), 255],
  ])('%s is refused beyond its length', (_, make, longest) =>
    expect(accepts(make, longest)).toEqual(['object', 'string']),
  );

  it('§4.1.2: a user has at most 20 addresses', () => {
    const emails = Array.from({ length: 21 }, (_, number) => ({ value: `a${number}@b.example` }));
    expect(userWith({ emails: emails.slice(1) })).toMatchObject({ emails: { length: 20 } });
    expect(outcomeOf(() => userWith({ emails }))).toBe('invalidValue');
  });

  it.each<[string, object, object | string]>([
    ['§2.1: names in any case', { USERNAME: 'ada', Active: false }, { userName: 'ada', active: false }],
    ['§4.1.1: userName is required', { displayName: 'A' }, 'invalidValue'],
    ['§4.1.1: userName is not empty', { userName: ' ' }, 'invalidValue'],
    ['§4.1.1: active is true where nothing is said', { userName: 'a' }, { active: true }],
    [
      '§2.5: null is as good as absent',
      { userName: 'a', name: null, emails: null, active: null },
      { name: {}, emails: [], active: true },
    ],
    ['§2.5: an empty list is as good as absent', { userName: 'a', emails: [] }, { emails: [] }],
    ['§3.1: an id of the client is left out', { userName: 'a', id: 'mine', meta: {} }, { userName: 'a' }],
    ['§3.3: extensions are left out', { userName: 'a', 'urn:example:2.0:User': { x: 1 } }, { userName: 'a' }],
  ])('%s', (_, body, expected) => {
    const outcome = outcomeOf(() => userOf(body));
    if (typeof expected === 'string') expect(outcome).toBe(expected);
    else expect(outcome).toMatchObject(expected);
    expect(outcome).not.toHaveProperty('id');
  });
});
