import type { Config } from '../../infrastructure/config';
import { DEFAULT_RULES, DEFAULT_SETTINGS, type Issuer } from './issuer.types';

/** Name in URLs of the issuer that the environment sets. No stored issuer takes it. */
export const ENVIRONMENT_KEY = 'default';

/** Null where the environment sets none. Its people belong to the operator's own organization. */
export function environmentIssuer(oidc: Config['oidc'], organizationId: string): Issuer | null {
  const { issuer, clientId, clientSecret, name, listed, forAll, defaultRole, ...others } = oidc;
  if (issuer === null || clientId === null) return null;
  const given = { ...others, defaultRole: defaultRole === 'none' ? null : defaultRole };
  return {
    ...like(DEFAULT_SETTINGS, given),
    rules: like(DEFAULT_RULES, given),
    id: null,
    key: ENVIRONMENT_KEY,
    name,
    organizationId,
    url: issuer,
    clientId,
    clientSecret: () => clientSecret,
    listed,
    forAll,
    trusted: true,
  };
}

/** The defaults with the members of the same name. */
const like = <T extends object>(defaults: T, given: Partial<T>): T =>
  Object.fromEntries(Object.entries({ ...defaults, ...given }).filter(([name]) => name in defaults)) as T;
