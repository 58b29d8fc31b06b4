import { isJsonObject, type Role, ROLES } from '@bellwether/kernel';
import type { Claims, ClaimRules, Issuer, IssuerSettings } from './issuer.types';

const MOST_VALUES = 1_000;
const STRONGEST_FIRST: readonly Role[] = ['owner', 'admin', 'teacher', 'member'];

/**
 * The claim at a path. Names may hold dots themselves (`https://uni.example/roles`), so at every level a whole name goes
 * before its parts.
 */
export function claimAt(claims: unknown, path: string): unknown {
  if (!isJsonObject(claims)) return undefined;
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (!Object.hasOwn(claims, name)) continue;
    const found = claimAt(claims[name], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The texts of a claim, which may be one or a list. */
export function valuesAt(claims: Claims, path: string | null): readonly string[] {
  if (path === null) return [];
  const found = claimAt(claims, path);
  const values = Array.isArray(found) ? found : [found];
  return values.filter((value): value is string => typeof value === 'string' && value !== '').slice(0, MOST_VALUES);
}

/** Own members of `first` count where both are no objects. */
export const mergedClaims = (first: Claims, second: Claims): Claims =>
  Object.fromEntries(
    [...new Set([...Object.keys(second), ...Object.keys(first)])].map((name) => {
      const [one, other] = [ownClaim(first, name), ownClaim(second, name)];
      return [
        name,
        one === undefined ? other : isJsonObject(one) && isJsonObject(other) ? mergedClaims(one, other) : one,
      ];
    }),
  );

const ownClaim = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined);

/** Claims that the rules name and that did not come, for all that the provider says. */
export function missingClaims(claims: Claims, { rules, forAll }: Pick<Issuer, 'rules' | 'forAll'>): string[] {
  const { roleClaim, groupsClaim, externalIdClaim, organizationClaim } = rules;
  return [roleClaim, groupsClaim, externalIdClaim, forAll ? organizationClaim : null].filter(
    (path): path is string => path !== null && claimAt(claims, path) === undefined && !isLeftOut(claims, path),
  );
}

/** Whether the userinfo endpoint may know more that counts (OpenID Connect Core 1.0 §5.4). */
export function lacksClaims(claims: Claims, issuer: Pick<Issuer, 'rules' | 'forAll' | 'scopes'>): boolean {
  const scopes = issuer.scopes.split(' ');
  const isAsked = (scope: string, claim: string): boolean => scopes.includes(scope) && claims[claim] === undefined;
  return isAsked('email', 'email') || isAsked('profile', 'name') || missingClaims(claims, issuer).length > 0;
}

/** Whether a provider left out a claim because it was too long: Entra ID's group overage. */
const isLeftOut = (claims: Claims, path: string): boolean => {
  const [name = ''] = path.split('.');
  const elsewhere = claims['_claim_names'];
  return (
    (isJsonObject(elsewhere) && Object.hasOwn(elsewhere, name)) || (name === 'groups' && claims['hasgroups'] === true)
  );
};

/** `keep`: the claims say nothing about the role, so that it stays. Null: nobody without a role may sign in. */
export type RoleDecision = Role | 'keep' | null;

export function roleOf(claims: Claims, rules: ClaimRules): RoleDecision {
  const { roleClaim, roles, defaultRole } = rules;
  if (roleClaim === null || isLeftOut(claims, roleClaim)) return 'keep';
  const granted = new Set(valuesAt(claims, roleClaim).map((value) => roleNamed(value, roles)));
  return STRONGEST_FIRST.find((role) => granted.has(role)) ?? defaultRole;
}

function roleNamed(value: string, roles: ClaimRules['roles']): Role | undefined {
  if (Object.keys(roles).length === 0) return ROLES.find((role) => role === value);
  return Object.hasOwn(roles, value) ? roles[value] : undefined;
}

/** False where the provider left the groups out, so that they stay. */
export const tellsGroups = (claims: Claims, { groupsClaim }: ClaimRules): boolean =>
  groupsClaim === null || !isLeftOut(claims, groupsClaim);

export const groupsOf = (claims: Claims, { groupsClaim }: ClaimRules): readonly string[] => [
  ...new Set(valuesAt(claims, groupsClaim)),
];

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

export interface ClaimedEmail {
  readonly address: string;
  readonly isVerified: boolean;
}

/** Null without a usable address. An address is verified when the provider says so, or when its domain is trusted and the provider is silent. */
export function emailOf(
  claims: Claims,
  { trustedDomains }: Pick<IssuerSettings, 'trustedDomains'>,
): ClaimedEmail | null {
  const { email, email_verified: verified } = claims;
  if (typeof email !== 'string' || !ADDRESS.test(email)) return null;
  const address = email.toLowerCase();
  const isTrusted = trustedDomains.includes(domainOf(address));
  return { address, isVerified: verified === true || (verified === undefined && isTrusted) };
}

/** Whether the provider says that nobody checked the address: anybody may have typed it in. Some send texts. */
export const deniesEmail = ({ email_verified: verified }: Claims): boolean =>
  verified === false || verified === 'false';

const domainOf = (address: string): string => address.slice(address.indexOf('@') + 1);

/** The directory's id of the person; null without one. */
export const externalIdOf = (claims: Claims, { externalIdClaim }: ClaimRules): string | null =>
  valuesAt(claims, externalIdClaim)[0] ?? null;

/** Slug of the organization that claims name; undefined when none is named. An unverified address names none. */
export function organizationOf(claims: Claims, rules: ClaimRules, email: ClaimedEmail | null): string | undefined {
  const { organizationClaim, organizations, emailDomains } = rules;
  const values = valuesAt(claims, organizationClaim);
  const isMapped = Object.keys(organizations).length > 0;
  const slug = values
    .map((value) => (isMapped ? ownValue(organizations, value) : value))
    .find((each) => each !== undefined);
  if (slug !== undefined) return slug;
  return email?.isVerified === true ? ownValue(emailDomains, domainOf(email.address)) : undefined;
}

const ownValue = (map: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;

/** Whether the organization of a person depends on claims. */
export const choosesOrganization = ({ organizationClaim, emailDomains }: ClaimRules): boolean =>
  organizationClaim !== null || Object.keys(emailDomains).length > 0;

const MOST_NAME = 200;

/** The display name of the person. */
export function nameOf(claims: Claims, fallback: string): string {
  const names = [claims['name'], claims['preferred_username'], claims['email'], fallback];
  const found = names.find((name): name is string => typeof name === 'string' && name.trim() !== '') ?? fallback;
  return found
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, MOST_NAME)
    .toWellFormed();
}

export const hasName = ({ name }: Claims): boolean => typeof name === 'string' && name.trim() !== '';

/** Claims of the protocol itself, which say nothing about the person. */
const PROTOCOL = new Set(['nonce', 'at_hash', 'c_hash', 's_hash', 'jti', 'sid']);
const MOST_SHOWN = 16_384;

/** The claims that administrators see. */
export function shownClaims(claims: Claims): Claims {
  const shown = Object.fromEntries(Object.entries(claims).filter(([name]) => !PROTOCOL.has(name)));
  if (JSON.stringify(shown).length <= MOST_SHOWN) return shown;
  const { iss, sub, aud, exp, iat, email } = shown;
  return { iss, sub, aud, exp, iat, email, _cut: 'The claims are longer than 16 KiB' };
}
