import { type Role, ROLES } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { GROUP_MATCHES, type GroupMatch } from '../../organizations';
import { ADMISSION_PROBLEMS, type AdmissionProblem } from '../issuers/accounts.service';
import {
  ACCESS_TOKEN_TYPES,
  type AccessTokenType,
  ACCOUNT_POLICIES,
  type AccountPolicy,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../issuers/issuer.types';
import { PageOf } from '../../infrastructure/http';

export const ROLE_MAP = {
  type: 'object' as const,
  additionalProperties: { type: 'string' as const, enum: [...ROLES] as string[] },
};
export const SLUG_MAP = { type: 'object' as const, additionalProperties: { type: 'string' as const } };

/** An OpenID provider that an organization set up. */
export class IssuerDto {
  key!: string;
  name!: string;
  issuer!: string;
  client_id!: string;
  client_secret_configured!: boolean;
  logo!: string | null;
  enabled!: boolean;
  listed!: boolean;
  listed_for_everybody!: boolean;
  sign_in_domains!: string[];
  for_all!: boolean;
  audience!: string | null;

  @ApiProperty({ enum: SIGNING_ALGORITHMS })
  signing_algorithm!: SigningAlgorithm;

  @ApiProperty({ enum: ACCESS_TOKEN_TYPES })
  access_token_type!: AccessTokenType;

  scopes!: string;
  userinfo!: boolean;

  @ApiProperty({ enum: ACCOUNT_POLICIES })
  accounts!: AccountPolicy;

  link_verified_email!: boolean;
  trusted_domains!: string[];
  role_claim!: string | null;

  @ApiProperty(ROLE_MAP)
  roles!: Record<string, Role>;

  @ApiProperty({ enum: ROLES })
  default_role!: Role | null;

  groups_claim!: string | null;

  @ApiProperty({ enum: GROUP_MATCHES })
  group_match!: GroupMatch | null;
  external_id_claim!: string | null;
  organization_claim!: string | null;

  organizations!: Record<string, string>;

  email_domains!: Record<string, string>;

  /** Redirect URI to be entered at the provider. */
  redirect_uri!: string;
  /** Address for a provider that begins sign-ins itself (OpenID Connect Core 1.0 §4). */
  initiate_login_uri!: string;
  backchannel_logout_uri!: string;
  post_logout_redirect_uri!: string;

  version!: number;
  created_at!: string;
  updated_at!: string;
}

/** An OpenID provider set elsewhere, through which people of the organization come in. */
export class ReachingIssuerDto {
  key!: string;
  name!: string;
  issuer!: string;
  /** False for the operator's, which the environment sets. */
  for_all!: boolean;
}

export class IssuerPageDto {
  items!: IssuerDto[];

  /** Providers of all organizations that others set, and the operator's. */
  set_elsewhere!: ReachingIssuerDto[];

  next_cursor!: string | null;
  total!: number;
}

export const CONNECTION_CHECKS = [
  'metadata',
  'keys',
  'algorithm',
  'pkce',
  'secret',
  'logout',
  'access_tokens',
  'claims',
] as const;
export type ConnectionCheck = (typeof CONNECTION_CHECKS)[number];

export class ConnectionCheckDto {
  @ApiProperty({ enum: CONNECTION_CHECKS })
  check!: ConnectionCheck;

  @ApiProperty({ enum: ['passed', 'warned', 'failed'] })
  state!: 'passed' | 'warned' | 'failed';

  detail!: string;
}

/** The result of running the rules on a person's claims. */
export class TrialOutcomeDto {
  @ApiProperty({ enum: ADMISSION_PROBLEMS })
  problem!: AdmissionProblem | null;

  /** Slug. */
  organization!: string | null;

  /** Null: the role that the member has, or `member`. */
  @ApiProperty({ enum: ROLES })
  role!: Role | null;

  groups!: string[];
  email!: string | null;
  email_verified!: boolean;

  claims!: Record<string, unknown>;

  /** Claims that the rules name and the provider did not send. */
  missing_claims!: string[];
}

export class ConnectionReportDto {
  ok!: boolean;

  checks!: ConnectionCheckDto[];

  /** Outcome for the caller's own claims at their last sign-in; null if there was none. */
  me!: TrialOutcomeDto | null;
}

export class TrialDto {
  /** Address for the browser, which comes back with the outcome behind `#trial=`, as base64url of JSON. A failed sign-in there has `failure` and `reason` only. */
  url!: string;
}

/** A person who signed in at the provider. */
export class IdentityDto {
  user_id!: string;
  subject!: string;
  email!: string | null;
  groups!: string[];

  claims!: Record<string, unknown>;

  claims_at!: string;
  created_at!: string;
}

export class IdentityPageDto extends PageOf(IdentityDto) {}
