import { snakeCased } from '../../kernel';
import type { IssuerEntity } from '../issuers/issuer.entity';
import { DEFAULT_RULES, DEFAULT_SETTINGS, type IssuerSettings } from '../issuers/issuer.types';
import { signOnPath } from '../sign-in/sign-in-doors.service';
import type { IssuerDto } from './issuer-answer.dto';
import type { UpdateIssuerDto } from './issuer.dto';

export const settingsOf = ({ settings }: Pick<IssuerEntity, 'settings'>): IssuerSettings => ({
  ...DEFAULT_SETTINGS,
  ...settings,
  rules: { ...DEFAULT_RULES, ...settings.rules },
});

export function viewOf(row: IssuerEntity, origin: string): IssuerDto {
  const { rules, trustedDomains, signInDomains, ...settings } = settingsOf(row);
  const { roles, organizations, emailDomains, ...claims } = rules;
  return {
    key: row.key,
    name: row.name,
    issuer: row.url,
    client_id: row.clientId,
    client_secret_configured: row.clientSecret !== null,
    logo: row.logo,
    enabled: row.enabled,
    listed: row.listed,
    for_all: row.forAll,
    ...snakeCased(settings),
    ...snakeCased(claims),
    trusted_domains: [...trustedDomains],
    sign_in_domains: [...signInDomains],
    // Values of claims: their letters stay as they are.
    roles: { ...roles },
    organizations: { ...organizations },
    email_domains: { ...emailDomains },
    redirect_uri: origin + signOnPath(row.key, 'callback'),
    initiate_login_uri: origin + signOnPath(row.key, 'login'),
    backchannel_logout_uri: `${origin}/auth/oidc/${row.key}/backchannel-logout`,
    post_logout_redirect_uri: `${origin}/sign-in`,
    version: row.version,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const given = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

/** The settings after a change; absent members stay. */
export function changedSettings(old: IssuerSettings, input: UpdateIssuerDto): IssuerSettings {
  const rules = {
    ...old.rules,
    ...given({
      roleClaim: input.role_claim,
      roles: input.roles,
      defaultRole: input.default_role,
      groupsClaim: input.groups_claim,
      groupMatch: input.group_match,
      externalIdClaim: input.external_id_claim,
      organizationClaim: input.organization_claim,
      organizations: input.organizations,
      emailDomains: input.email_domains && lowered(input.email_domains),
    }),
  };
  return {
    ...old,
    ...given({
      audience: input.audience,
      signingAlgorithm: input.signing_algorithm,
      accessTokenType: input.access_token_type,
      scopes: input.scopes,
      userinfo: input.userinfo,
      accounts: input.accounts,
      linkVerifiedEmail: input.link_verified_email,
      trustedDomains: input.trusted_domains?.map((domain) => domain.toLowerCase()),
      listedForEverybody: input.listed_for_everybody,
      signInDomains: input.sign_in_domains?.map((domain) => domain.toLowerCase()),
    }),
    rules,
  };
}

const lowered = (map: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name.toLowerCase(), value]));
