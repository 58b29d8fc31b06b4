import type { Schema } from '$lib/kit/api/client';
import { overwritesNothing, same } from '$lib/kit/ui/differences';
import { namesIn } from '$lib/features/organization/provider-form';
import type { Role } from '$lib/features/organization/key-rights';

export type Issuer = Schema<'IssuerDto'>;
export type IssuerChange = Schema<'UpdateIssuerDto'>;

/** One row of a table from values of a claim to a role or an organization. */
export interface Entry {
  name: string;
  to: string;
}

/** Content of the form; texts as they are typed. */
export interface IssuerValues {
  key: string;
  name: string;
  logo: string | null;
  issuer: string;
  clientId: string;
  /** A new secret; empty keeps the stored one. */
  secret: string;
  clearSecret: boolean;
  enabled: boolean;
  listed: boolean;
  listedForEverybody: boolean;
  /** One a line. */
  signInDomains: string;
  forAll: boolean;
  scopes: string;
  userinfo: boolean;
  audience: string;
  algorithm: Issuer['signing_algorithm'];
  tokenType: Issuer['access_token_type'];
  accounts: Issuer['accounts'];
  linkEmail: boolean;
  /** One a line. */
  trustedDomains: string;
  roleClaim: string;
  roles: Entry[];
  /** Empty refuses people without a mapped role. */
  defaultRole: Role | '';
  groupsClaim: string;
  externalIdClaim: string;
  /** Empty leaves memberships of groups alone. */
  groupMatch: NonNullable<Issuer['group_match']> | '';
  organizationClaim: string;
  organizations: Entry[];
  emailDomains: Entry[];
}

/** Defaults of the service. */
export const newIssuer = (): IssuerValues => ({
  key: '',
  name: '',
  logo: null,
  issuer: '',
  clientId: '',
  secret: '',
  clearSecret: false,
  enabled: true,
  listed: true,
  listedForEverybody: false,
  signInDomains: '',
  forAll: false,
  scopes: 'openid email profile',
  userinfo: false,
  audience: '',
  algorithm: 'RS256',
  tokenType: 'any',
  accounts: 'just_in_time',
  linkEmail: false,
  trustedDomains: '',
  roleClaim: '',
  roles: [],
  defaultRole: 'member',
  groupsClaim: '',
  externalIdClaim: '',
  groupMatch: '',
  organizationClaim: '',
  organizations: [],
  emailDomains: [],
});

const rowsOf = (map: Readonly<Record<string, string>>): Entry[] =>
  Object.entries(map).map(([name, to]) => ({ name, to }));

export const valuesOf = (issuer: Issuer): IssuerValues => ({
  key: issuer.key,
  name: issuer.name,
  logo: issuer.logo,
  issuer: issuer.issuer,
  clientId: issuer.client_id,
  secret: '',
  clearSecret: false,
  enabled: issuer.enabled,
  listed: issuer.listed,
  listedForEverybody: issuer.listed_for_everybody,
  signInDomains: issuer.sign_in_domains.join('\n'),
  forAll: issuer.for_all,
  scopes: issuer.scopes,
  userinfo: issuer.userinfo,
  audience: issuer.audience ?? '',
  algorithm: issuer.signing_algorithm,
  tokenType: issuer.access_token_type,
  accounts: issuer.accounts,
  linkEmail: issuer.link_verified_email,
  trustedDomains: issuer.trusted_domains.join('\n'),
  roleClaim: issuer.role_claim ?? '',
  roles: rowsOf(issuer.roles),
  defaultRole: issuer.default_role ?? '',
  groupsClaim: issuer.groups_claim ?? '',
  externalIdClaim: issuer.external_id_claim ?? '',
  groupMatch: issuer.group_match ?? '',
  organizationClaim: issuer.organization_claim ?? '',
  organizations: rowsOf(issuer.organizations),
  emailDomains: rowsOf(issuer.email_domains),
});

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
const filled = (rows: readonly Entry[]): readonly Entry[] => rows.filter(({ name }) => name.trim() !== '');
const mapOf = <To extends string>(rows: readonly Entry[]): Record<string, To> =>
  Object.fromEntries(filled(rows).map(({ name, to }) => [name.trim(), to.trim() as To]));

/** Names that a table has more than once. */
export function repeated(rows: readonly Entry[]): ReadonlySet<string> {
  const names = filled(rows).map(({ name }) => name.trim());
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}

const settingsOf = (values: IssuerValues) => ({
  name: values.name.trim(),
  logo: values.logo,
  issuer: values.issuer.trim(),
  client_id: values.clientId.trim(),
  enabled: values.enabled,
  listed: values.listed,
  listed_for_everybody: values.listedForEverybody,
  sign_in_domains: namesIn(values.signInDomains),
  for_all: values.forAll,
  scopes: values.scopes.trim().replace(/\s+/g, ' '),
  userinfo: values.userinfo,
  audience: orNull(values.audience),
  signing_algorithm: values.algorithm,
  access_token_type: values.tokenType,
  accounts: values.accounts,
  link_verified_email: values.linkEmail,
  trusted_domains: namesIn(values.trustedDomains),
  role_claim: orNull(values.roleClaim),
  roles: mapOf<Role>(values.roles),
  default_role: values.defaultRole === '' ? null : values.defaultRole,
  groups_claim: orNull(values.groupsClaim),
  external_id_claim: orNull(values.externalIdClaim),
  group_match: values.groupMatch === '' ? null : values.groupMatch,
  organization_claim: orNull(values.organizationClaim),
  organizations: mapOf<string>(values.organizations),
  email_domains: mapOf<string>(values.emailDomains),
});

/**
 * Members that differ from `before`; all of them for a new issuer. A secret only when one was typed or removed. A typed
 * secret, and switching on, go with the address that was shown: neither may meet an address that nobody here has seen.
 */
export function changeOf(before: Issuer | null, values: IssuerValues): IssuerChange {
  const wished = Object.entries(settingsOf(values));
  const changed =
    before === null ? wished : wished.filter(([name, value]) => !same(value, before[name as keyof Issuer]));
  const secret = values.clearSecret ? { client_secret: null } : { client_secret: values.secret };
  const hasSecret = values.clearSecret || values.secret !== '';
  const change = Object.fromEntries(changed) as IssuerChange;
  const address = change.enabled === true || values.secret !== '' ? { issuer: values.issuer.trim() } : {};
  return { ...change, ...address, ...(hasSecret ? secret : {}) };
}

/** The service deletes the secret when the address changes: a new address must not receive it. */
export const losesSecret = (before: Issuer | null, values: IssuerValues): boolean =>
  before?.client_secret_configured === true &&
  values.secret === '' &&
  !values.clearSecret &&
  values.issuer.trim() !== before.issuer;

/** A new secret looks like the old one, so a change of secret or address always asks. */
export const losesNothing = (base: Issuer, theirs: Issuer, change: IssuerChange): boolean =>
  !('client_secret' in change || 'issuer' in change) && overwritesNothing(base, theirs, change);
