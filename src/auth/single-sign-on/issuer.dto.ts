import { ROLES, type Role } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsFQDN,
  IsNotEmpty,
  IsNotIn,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { FilledText, Flag, IsPlainName, MayBeOmitted, OneOf, PageOf, Trimmed } from '../../infrastructure/http';
import { GROUP_MATCHES, type GroupMatch, SLUG, SLUG_LENGTH } from '../../organizations';
import { ADMISSION_PROBLEMS, type AdmissionProblem } from '../issuers/accounts.service';
import {
  ACCESS_TOKEN_TYPES,
  ACCOUNT_POLICIES,
  type AccessTokenType,
  type AccountPolicy,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../issuers/issuer.types';
import { ENVIRONMENT_KEY } from '../issuers/issuers.service';

const ROLE_MAP = {
  type: 'object' as const,
  additionalProperties: { type: 'string' as const, enum: [...ROLES] as string[] },
};
const SLUG_MAP = { type: 'object' as const, additionalProperties: { type: 'string' as const } };

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
class ReachingIssuerDto {
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

const CONNECTION_CHECKS = [
  'metadata',
  'keys',
  'algorithm',
  'pkce',
  'secret',
  'logout',
  'access_tokens',
  'claims',
] as const;
type ConnectionCheck = (typeof CONNECTION_CHECKS)[number];

export class ConnectionCheckDto {
  @ApiProperty({ enum: CONNECTION_CHECKS })
  check!: ConnectionCheck;

  @ApiProperty({ enum: ['passed', 'warned', 'failed'] })
  state!: 'passed' | 'warned' | 'failed';

  detail!: string;
}

/** The result of running the rules on a person's claims. */
class TrialOutcomeDto {
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

const CLAIM = { type: 'string', nullable: true, example: 'realm_access.roles' } as const;
/** 64 KiB of picture. */
const MOST_LOGO = 90_000;

/** All settings of an issuer except its key, which never changes. */
export class UpdateIssuerDto {
  /** On the button. */
  @MayBeOmitted()
  @Trimmed()
  @IsPlainName()
  @FilledText(100, { example: 'Example University' })
  name?: string;

  /** `iss` of its tokens. Changing it without a new `client_secret` clears the stored one. */
  @ApiProperty({ example: 'https://sso.example.edu/realms/campus' })
  @MayBeOmitted()
  @Trimmed()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true, disallow_auth: true })
  @Matches(/^[^?#]*$/, { message: 'issuer must not hold a query or a fragment', context: { code: 'address.query' } })
  @MaxLength(500)
  issuer?: string;

  @MayBeOmitted()
  @Trimmed()
  @FilledText(500, { example: 'bellwether' })
  client_id?: string;

  /** Write-only; answers carry `client_secret_configured`. Null removes it. */
  @IsOptional()
  @IsString()
  @Matches(/^[\x21-\x7e]+$/, { message: 'client_secret must hold visible ASCII characters only' })
  @MaxLength(2_000)
  client_secret?: string | null;

  /** Data URL of a PNG, JPEG, WebP or GIF of at most 64 KiB. */
  @IsOptional()
  @Matches(/^data:image\/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/, {
    message: 'logo must be a data URL of a picture',
    context: { code: 'value.picture' },
  })
  @MaxLength(MOST_LOGO)
  logo?: string | null;

  @Flag() enabled?: boolean;

  /** On the sign-in page of the organization. */
  @Flag() listed?: boolean;

  /** On the sign-in page of everybody. For system administrators. */
  @Flag() listed_for_everybody?: boolean;

  /** Domains of e-mail addresses whose people the sign-in page leads here. For system administrators. */
  @ApiProperty({ example: ['physics.example.edu'] })
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(100)
  @IsFQDN({ require_tld: false }, { each: true })
  sign_in_domains?: string[];

  /** Its people may belong to every organization. For system administrators. */
  @Flag() for_all?: boolean;

  /** `aud` of access tokens; null takes none. */
  @IsOptional()
  @FilledText(500)
  audience?: string | null;

  @MayBeOmitted() @OneOf(SIGNING_ALGORITHMS) signing_algorithm?: SigningAlgorithm;

  @MayBeOmitted() @OneOf(ACCESS_TOKEN_TYPES) access_token_type?: AccessTokenType;

  @ApiProperty({ example: 'openid email profile' })
  @MayBeOmitted()
  @Trimmed()
  @Matches(/^openid( [\x21\x23-\x5b\x5d-\x7e]+)*$/, {
    message: 'scopes must begin with openid and be separated by spaces',
    context: { code: 'issuer.scopes' },
  })
  @MaxLength(500)
  scopes?: string;

  /**
   * Asks the userinfo endpoint at every sign-in. If false, it is asked only when the ID token lacks the name, the address
   * or a claim of the rules.
   */
  @Flag() userinfo?: boolean;

  @MayBeOmitted() @OneOf(ACCOUNT_POLICIES) accounts?: AccountPolicy;

  /** Link people to the member with the same verified e-mail address. */
  @Flag() link_verified_email?: boolean;

  /** Domains whose addresses count as verified when the provider does not say. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(100)
  @IsFQDN({ require_tld: false }, { each: true })
  trusted_domains?: string[];

  @ApiProperty({ ...CLAIM })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(300)
  role_claim?: string | null;

  /** Role by value of the claim. Empty: values that are role names count. */
  @ApiProperty({ ...ROLE_MAP, selfRequired: false, example: { staff: 'teacher' } })
  @MayBeOmitted()
  @IsObject()
  roles?: Record<string, Role>;

  /** Without any mapped value; null refuses these people. */
  @IsOptional()
  @OneOf(ROLES)
  default_role?: Role | null;

  @ApiProperty({ ...CLAIM, example: 'groups' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(300)
  groups_claim?: string | null;

  /** How values of that claim name groups of the organization. Their memberships follow each sign-in. */
  @IsOptional()
  @OneOf(GROUP_MATCHES)
  group_match?: GroupMatch | null;

  /** Claim with the `externalId` that the directory (SCIM) has for the person, who is linked to that member. */
  @ApiProperty({ ...CLAIM, example: 'oid' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(300)
  external_id_claim?: string | null;

  /** Claim that names the organization, for issuers with `for_all`. */
  @ApiProperty({ ...CLAIM, example: 'faculty' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(300)
  organization_claim?: string | null;

  /** Organization by value of that claim. Empty: values are slugs. */
  @ApiProperty({ ...SLUG_MAP, selfRequired: false, example: { PHYS: 'physics' } })
  @MayBeOmitted()
  @IsObject()
  organizations?: Record<string, string>;

  /** Organization by domain of a verified e-mail address. */
  @ApiProperty({ ...SLUG_MAP, selfRequired: false, example: { 'physics.example.edu': 'physics' } })
  @MayBeOmitted()
  @IsObject()
  email_domains?: Record<string, string>;
}

export class CreateIssuerDto extends UpdateIssuerDto {
  /** Name in URLs, never changed again: `/auth/oidc/{key}/callback` is the redirect address. */
  @ApiProperty({ example: 'campus', pattern: SLUG.source })
  @IsString()
  @MinLength(SLUG_LENGTH.shortest)
  @MaxLength(SLUG_LENGTH.longest)
  @Matches(SLUG, {
    message: 'key must hold lower-case letters, digits and single hyphens',
    context: { code: 'value.slug' },
  })
  @IsNotIn([ENVIRONMENT_KEY], {
    message: `key must not be ${ENVIRONMENT_KEY}, which is the environment's`,
    context: { code: 'value.taken' },
  })
  key!: string;

  // Rules of their own would replace the inherited ones; the service refuses a missing member.
  @ApiProperty({ example: 'Example University' })
  declare name: string;

  @ApiProperty({ example: 'https://sso.example.edu/realms/campus' })
  declare issuer: string;

  @ApiProperty({ example: 'bellwether' })
  declare client_id: string;
}
