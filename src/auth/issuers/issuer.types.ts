import type { Role } from '@bellwether/kernel';
import type { GroupMatch } from '../../organizations';

/** Signatures that are accepted. Symmetric ones are missing on purpose: a public key would verify them. */
export const SIGNING_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

export const ACCOUNT_POLICIES = ['just_in_time', 'invitation'] as const;
export type AccountPolicy = (typeof ACCOUNT_POLICIES)[number];

/** `any` also takes `typ: JWT`, which many providers send; then a token that looks like an ID token is refused. */
export const ACCESS_TOKEN_TYPES = ['any', 'at+jwt'] as const;
export type AccessTokenType = (typeof ACCESS_TOKEN_TYPES)[number];

/** How claims become a place in an organization. Claims are named by a path such as `realm_access.roles`. */
export interface ClaimRules {
  /** Null leaves roles to the organization's administrators. */
  readonly roleClaim: string | null;
  /** Role by value of the claim. Empty: values that are our own role names count. */
  readonly roles: Readonly<Record<string, Role>>;
  /** Role of people without any mapped value; null refuses them. */
  readonly defaultRole: Role | null;
  readonly groupsClaim: string | null;
  /** How values of that claim name groups of the organization; null: they are only kept. */
  readonly groupMatch: GroupMatch | null;
  /** Claim with the `externalId` that the organization's directory has for the person; null: directories do not tell. */
  readonly externalIdClaim: string | null;
  /** With `organizations` and `emailDomains`, only read for issuers that serve every organization. */
  readonly organizationClaim: string | null;
  /** Slug by value of the claim. Empty: values are slugs. */
  readonly organizations: Readonly<Record<string, string>>;
  /** Slug by domain of a verified e-mail address. */
  readonly emailDomains: Readonly<Record<string, string>>;
}

export interface IssuerSettings {
  /** Required `aud` of access tokens; null takes no access tokens of this issuer. */
  readonly audience: string | null;
  readonly signingAlgorithm: SigningAlgorithm;
  readonly accessTokenType: AccessTokenType;
  /** Space-separated. */
  readonly scopes: string;
  /**
   * Asks the userinfo endpoint at every sign-in. If false, it is asked only when the ID token lacks the name, the address
   * or a claim of the rules.
   */
  readonly userinfo: boolean;
  readonly accounts: AccountPolicy;
  readonly linkVerifiedEmail: boolean;
  /** Domains whose addresses count as verified when the provider sends no `email_verified`. */
  readonly trustedDomains: readonly string[];
  /** Whether the sign-in page of the whole installation shows it. Only system administrators may say so. */
  readonly listedForEverybody: boolean;
  /** Domains of e-mail addresses whose people the sign-in page leads here. Only system administrators set them. */
  readonly signInDomains: readonly string[];
  readonly rules: ClaimRules;
}

/** An OpenID provider as one client of it sees it. */
export interface Issuer extends IssuerSettings {
  /** Null for the one of the environment. */
  readonly id: string | null;
  /** Its name in URLs. */
  readonly key: string;
  readonly name: string;
  readonly organizationId: string;
  /** `iss` of its tokens, compared exactly. */
  readonly url: string;
  readonly clientId: string;
  /** Null for a public client. @throws {AppError} `secret_unavailable` */
  readonly clientSecret: () => string | null;
  /** On the sign-in page of its organization. */
  readonly listed: boolean;
  /** Whether its people may belong to any organization. */
  readonly forAll: boolean;
  /** Set by the operator: its addresses may be private ones. */
  readonly trusted: boolean;
}

/** The authority that links people. Owners set the issuers of an organization, system administrators those of all. */
export const authorityOf = ({ forAll, key, organizationId }: Issuer): string =>
  forAll ? `all:${key}` : organizationId;

export type Claims = Readonly<Record<string, unknown>>;

export const DEFAULT_RULES: ClaimRules = {
  roleClaim: null,
  roles: {},
  defaultRole: 'member',
  groupsClaim: null,
  groupMatch: null,
  externalIdClaim: null,
  organizationClaim: null,
  organizations: {},
  emailDomains: {},
};

export const DEFAULT_SETTINGS: IssuerSettings = {
  audience: null,
  signingAlgorithm: 'RS256',
  accessTokenType: 'any',
  scopes: 'openid email profile',
  userinfo: false,
  accounts: 'just_in_time',
  linkVerifiedEmail: false,
  trustedDomains: [],
  listedForEverybody: false,
  signInDomains: [],
  rules: DEFAULT_RULES,
};
