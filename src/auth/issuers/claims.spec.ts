import { claimAt, emailOf, nameOf, organizationOf, roleOf, shownClaims, valuesAt } from './claims';
import { DEFAULT_RULES } from './issuer.types';

const rules = (changes: object) => ({ ...DEFAULT_RULES, ...changes });

describe('claimAt', () => {
  it.each([
    ['realm_access.roles', { realm_access: { roles: ['a'] } }, ['a']],
    ['https://uni.example/roles', { 'https://uni.example/roles': 'b' }, 'b'],
    ['resource_access.my.client.roles', { resource_access: { 'my.client': { roles: 'c' } } }, 'c'],
    ['a.b', { 'a.b': 1, a: { b: 2 } }, 1],
    ['a.b', { a: 'text' }, undefined],
    ['constructor.name', {}, undefined],
    ['__proto__.x', {}, undefined],
  ])('finds %s', (path, claims, expected) => expect(claimAt(claims, path)).toEqual(expected));
});

it('takes one text or a list of texts as values, and nothing else', () => {
  expect(valuesAt({ g: ['a', 1, '', { x: 1 }, 'b'] }, 'g')).toEqual(['a', 'b']);
  expect(valuesAt({ g: 'one' }, 'g')).toEqual(['one']);
  expect(valuesAt({ g: { a: 'b' } }, 'g')).toEqual([]);
});

describe('roleOf', () => {
  const mapped = rules({ roleClaim: 'groups', roles: { staff: 'teacher', it: 'admin' } });
  it.each([
    ['the highest mapped role', { groups: ['staff', 'it'] }, mapped, 'admin'],
    ['the default role without a mapped value', { groups: ['owner'] }, mapped, 'member'],
    ['the default role without the claim', {}, mapped, 'member'],
    ['nothing where there is no default', {}, { ...mapped, defaultRole: null }, null],
    ['our own names where nothing is mapped', { groups: 'teacher' }, rules({ roleClaim: 'groups' }), 'teacher'],
    ['no inherited member of the map', { groups: ['toString'] }, mapped, 'member'],
    ['the old role without a claim to read', { groups: ['it'] }, DEFAULT_RULES, 'keep'],
    ['the old role when groups were left out', { _claim_names: { groups: 'src1' } }, mapped, 'keep'],
    ['the old role when there were too many groups', { hasgroups: true }, mapped, 'keep'],
  ])('gives %s', (_, claims, by, expected) => expect(roleOf(claims, by)).toBe(expected));
});

describe('emailOf', () => {
  const trusted = { trustedDomains: ['uni.example'] };
  it.each([
    [
      { email: 'A@Uni.example', email_verified: true },
      { address: 'a@uni.example', isVerified: true },
    ],
    [{ email: 'a@uni.example' }, { address: 'a@uni.example', isVerified: true }],
    [
      { email: 'a@uni.example', email_verified: false },
      { address: 'a@uni.example', isVerified: false },
    ],
    [
      { email: 'a@uni.example', email_verified: 'true' },
      { address: 'a@uni.example', isVerified: false },
    ],
    [{ email: 'a@other.example' }, { address: 'a@other.example', isVerified: false }],
    [{ email: 'a@b@uni.example' }, null],
    [{ email: ['a@uni.example'] }, null],
  ])('reads %j', (claims, expected) => expect(emailOf(claims, trusted)).toEqual(expected));
});

it('takes an organization from a verified address only', () => {
  const by = rules({ emailDomains: { 'uni.example': 'uni' } });
  expect(organizationOf({}, by, { address: 'a@uni.example', isVerified: true })).toBe('uni');
  expect(organizationOf({}, by, { address: 'a@uni.example', isVerified: false })).toBeUndefined();
  expect(organizationOf({}, by, { address: 'a@constructor', isVerified: true })).toBeUndefined();
});

it('shows names without control characters and claims without those of the protocol', () => {
  expect(nameOf({ name: ' Ada\u202e\nLovelace ' }, 'x')).toBe('AdaLovelace');
  expect(nameOf({ name: ' ' }, 'sub-1')).toBe('sub-1');
  expect(shownClaims({ sub: 'a', nonce: 'n', at_hash: 'h', sid: 's' })).toEqual({ sub: 'a' });
  expect(shownClaims({ sub: 'a', long: 'x'.repeat(20_000) })).toMatchObject({ sub: 'a', _cut: expect.any(String) });
});

it.each<[string, (size: number) => number, number]>([
  ['values of a claim', (size) => valuesAt({ g: Array.from({ length: size }, String) }, 'g').length, 1_000],
  ['characters of a name', (size) => nameOf({ name: 'x'.repeat(size) }, 'sub').length, 200],
])('takes a limited number of %s', (_, taken, most) => {
  expect([taken(most - 1), taken(most), taken(most + 1)]).toEqual([most - 1, most, most]);
});
