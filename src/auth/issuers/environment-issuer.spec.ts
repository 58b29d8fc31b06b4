import { sameJson } from '@bellwether/kernel';
import { getMetadataStorage } from 'class-validator';
import { environmentVariables, loadConfig } from '../../infrastructure/config';
import { CreateIssuerDto, UpdateIssuerDto } from '../single-sign-on/issuer.dto';
import { environmentIssuer } from './issuers.service';
import { DEFAULT_RULES, DEFAULT_SETTINGS } from './issuer.types';

/** A provider of the environment is always on, and 64 KiB of picture are no variable. Its key is `default`. */
const NOT_OF_THE_ENVIRONMENT = ['enabled', 'logo', 'key'];

const OTHERS = {
  OIDC_ISSUER: 'https://sso.uni.example',
  OIDC_CLIENT_ID: 'client',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_AUDIENCE: 'api',
  OIDC_ROLE_CLAIM: 'roles',
  OIDC_ROLES: 'a=b=teacher,it=admin',
  OIDC_GROUPS_CLAIM: 'groups',
  OIDC_GROUP_MATCH: 'name',
  OIDC_DEFAULT_ROLE: 'none',
  OIDC_ORGANIZATION_CLAIM: 'faculty',
  OIDC_ORGANIZATIONS: 'PHYS=physics, O=P=other',
  OIDC_EMAIL_DOMAINS: 'physics.uni.example=physics',
  OIDC_EXTERNAL_ID_CLAIM: 'oid',
  OIDC_NAME: 'Campus',
  OIDC_SCOPES: 'openid',
  OIDC_SIGNING_ALGORITHM: 'ES256',
  OIDC_ACCESS_TOKEN_TYPE: 'at+jwt',
  OIDC_USERINFO: 'true',
  OIDC_ACCOUNTS: 'invitation',
  OIDC_LINK_VERIFIED_EMAIL: 'true',
  OIDC_TRUSTED_DOMAINS: 'Uni.Example, other.example',
  OIDC_LISTED: 'false',
  OIDC_LISTED_FOR_EVERYBODY: 'false',
  OIDC_SIGN_IN_DOMAINS: 'uni.example',
  OIDC_FOR_ALL: 'true',
};

describe('the provider of the environment', () => {
  it('has a variable for every setting of a provider, and none beside', () => {
    const storage = getMetadataStorage();
    const members = [UpdateIssuerDto, CreateIssuerDto].flatMap((dto) =>
      storage.getTargetValidationMetadatas(dto, '', false, false).map(({ propertyName }) => propertyName),
    );
    const wanted = [...new Set(members)].filter((name) => !NOT_OF_THE_ENVIRONMENT.includes(name));
    const variables = environmentVariables([]).flatMap(({ name }) => (name.startsWith('OIDC_') ? name : []));
    expect([...variables].sort()).toEqual(wanted.map((name) => `OIDC_${name.toUpperCase()}`).sort());
  });

  it('takes each of them over', () => {
    const made = environmentIssuer(loadConfig(OTHERS, null).oidc, 'organization');
    expect(made).toMatchObject({
      name: 'Campus',
      url: 'https://sso.uni.example',
      clientId: 'client',
      listed: false,
      listedForEverybody: false,
      forAll: true,
      trustedDomains: ['uni.example', 'other.example'],
      rules: {
        roles: { 'a=b': 'teacher', it: 'admin' },
        defaultRole: null,
        organizations: { PHYS: 'physics', 'O=P': 'other' },
        emailDomains: { 'physics.uni.example': 'physics' },
      },
    });
    expect(made?.clientSecret()).toBe('secret');
    const usual = environmentIssuer(
      loadConfig({ OIDC_ISSUER: 'https://sso.uni.example', OIDC_CLIENT_ID: 'client' }, null).oidc,
      'organization',
    );
    expect(usual).toMatchObject({ ...DEFAULT_SETTINGS, listedForEverybody: true, listed: true, forAll: false });
    expect(Object.keys(usual?.rules ?? {}).sort()).toEqual(Object.keys(DEFAULT_RULES).sort());
    const same = [
      ...Object.keys(DEFAULT_SETTINGS),
      ...Object.keys(DEFAULT_RULES).map((name) => `rules.${name}`),
    ].filter((path) => sameJson(at(made, path), at(usual, path)));
    expect(same).toEqual([]);
  });

  it.each([
    ['OIDC_TRUSTED_DOMAINS', 'no domain'],
    ['OIDC_ORGANIZATIONS', 'PHYS'],
    ['OIDC_ORGANIZATIONS', '=physics'],
    ['OIDC_DEFAULT_ROLE', 'boss'],
  ])('does not take %s=%s', (name, value) => {
    expect(() => loadConfig({ ...OTHERS, [name]: value }, null)).toThrow(name);
  });
});

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((each, name) => (each as Record<string, unknown>)[name], value);
