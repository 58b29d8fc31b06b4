import type { Config } from '../../platform/config';
import { DEFAULT_RULES, DEFAULT_SETTINGS, type Issuer } from './issuer.types';

/** Name in URLs of the issuer that the environment sets. No stored issuer takes it. */
export const ENVIRONMENT_KEY = 'default';

/** Null where the environment sets none. Its people belong to the operator's own organization. */
export function environmentIssuer(oidc: Config['oidc'], organizationId: string): Issuer | null {
  const { issuer, clientId, clientSecret, roleClaim, roles, groupsClaim, groupMatch, ...settings } = oidc;
  if (issuer === null || clientId === null) return null;
  return {
    ...DEFAULT_SETTINGS,
    ...settings,
    rules: { ...DEFAULT_RULES, roleClaim, roles, groupsClaim, groupMatch },
    id: null,
    key: ENVIRONMENT_KEY,
    organizationId,
    url: issuer,
    clientId,
    clientSecret: () => clientSecret,
    listed: true,
    listedForEverybody: true,
    forAll: false,
    trusted: true,
  };
}
