import { describe, expect, it } from 'vitest';
import { changeOf, type Issuer, losesSecret, newIssuer, losesNothing, repeated, valuesOf } from './issuer-values';

const stored: Issuer = {
  key: 'campus',
  name: 'Campus',
  issuer: 'https://sso.example.edu',
  client_id: 'bellwether',
  client_secret_configured: true,
  logo: null,
  enabled: true,
  listed: true,
  listed_for_everybody: false,
  sign_in_domains: [],
  for_all: false,
  audience: null,
  signing_algorithm: 'RS256',
  access_token_type: 'any',
  scopes: 'openid email profile',
  userinfo: false,
  accounts: 'just_in_time',
  link_verified_email: false,
  trusted_domains: ['example.edu'],
  role_claim: 'groups',
  roles: { staff: 'teacher' },
  default_role: null,
  groups_claim: null,
  group_match: null,
  organization_claim: null,
  external_id_claim: null,
  organizations: {},
  email_domains: {},
  initiate_login_uri: 'https://learn.example/auth/oidc/campus/login',
  redirect_uri: 'https://here.example/auth/oidc/campus/callback',
  backchannel_logout_uri: 'https://here.example/auth/oidc/campus/backchannel-logout',
  post_logout_redirect_uri: 'https://here.example/sign-in',
  version: 3,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

describe('the form of a sign-in service', () => {
  it('changes nothing when nothing was changed', () => {
    expect(changeOf(stored, valuesOf(stored))).toEqual({});
  });

  it('has a field for each setting that the service takes', () => {
    const readOnly = /^(key|version|environment|client_secret_configured|.*_at|.*_uri)$/;
    const settings = Object.keys(stored).filter((name) => !readOnly.test(name));
    expect(Object.keys(changeOf(null, valuesOf(stored))).sort()).toEqual(settings.sort());
  });

  it('finds people of a directory by the claim that is typed', () => {
    const values = valuesOf({ ...stored, external_id_claim: 'oid' });
    expect(values.externalIdClaim).toBe('oid');
    expect(changeOf(stored, { ...values, externalIdClaim: ' employee_number ' })).toEqual({
      external_id_claim: 'employee_number',
    });
  });

  it('names only members that changed, and leaves out rows without a value', () => {
    const values = valuesOf(stored);
    values.roles.push({ name: ' it ', to: 'admin' }, { name: ' ', to: 'owner' });
    values.defaultRole = 'member';
    values.trustedDomains = 'example.edu\n example.org ';
    values.groupsClaim = ' groups ';
    values.groupMatch = 'external_id';
    values.scopes = 'openid  email';
    expect(changeOf(stored, values)).toEqual({
      roles: { staff: 'teacher', it: 'admin' },
      default_role: 'member',
      trusted_domains: ['example.edu', 'example.org'],
      groups_claim: 'groups',
      group_match: 'external_id',
      scopes: 'openid email',
    });
  });

  it('sends a secret only when one was typed or removed', () => {
    expect(changeOf(stored, { ...valuesOf(stored), secret: 'new' })).toEqual({
      issuer: stored.issuer,
      client_secret: 'new',
    });
    expect(changeOf(stored, { ...valuesOf(stored), clearSecret: true })).toEqual({ client_secret: null });
    expect(changeOf(null, newIssuer())).not.toHaveProperty('client_secret');
  });

  it('switches on together with the address that was shown', () => {
    const off = { ...stored, enabled: false };
    expect(changeOf(off, { ...valuesOf(off), enabled: true })).toEqual({ enabled: true, issuer: stored.issuer });
  });

  it('tells that another address deletes the secret', () => {
    const moved = { ...valuesOf(stored), issuer: 'https://other.example.edu' };
    expect(losesSecret(stored, moved)).toBe(true);
    expect(losesSecret(stored, { ...moved, secret: 'new' })).toBe(false);
    expect(losesSecret({ ...stored, client_secret_configured: false }, moved)).toBe(false);
    expect(losesSecret(stored, valuesOf(stored))).toBe(false);
    expect(losesSecret(null, moved)).toBe(false);
  });

  it('finds values that stand twice', () => {
    const row = (name: string) => ({ name, to: 'member' });
    expect([...repeated([row('a'), row(' a '), row('b'), row(''), row('')])]).toEqual(['a']);
  });
});

describe('a change upon the version of another person', () => {
  const theirs: Issuer = { ...stored, name: 'Theirs', version: 4 };

  it.each([
    ['of another member', { scopes: 'openid' }, true],
    ['of the same member', { name: 'Mine' }, false],
    ['to the same value', { name: 'Theirs' }, true],
    // Their secret may be another one, and mine was typed for the address that I saw.
    ['of the secret', { client_secret: 'new' }, false],
    ['of the address', { issuer: 'https://other.example.edu' }, false],
  ])('%s', (_, change, expected) => {
    expect(losesNothing(stored, theirs, change)).toBe(expected);
  });
});
