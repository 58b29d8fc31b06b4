import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { IsPlainName, MayBeOmitted, OneOf, FilledText, Trimmed, Flag, PageOf } from '../../../src/infrastructure/http';
import { INSTRUCTOR_ROLES, type InstructorRole, MATCHES } from './platform.entity';

const ADDRESS = {
  require_tld: false,
  protocols: ['http', 'https'],
  require_protocol: true,
  disallow_auth: true,
};

export class PersonMatchDto {
  /** `none`: every person of the platform gets an account of their own. `verified_email`: the member with the same address. `claim`: the member whose id in the directory or at the OpenID provider is the value of `claim`. Accounts of administrators are never matched. */
  @OneOf(MATCHES, { example: 'verified_email' }) by!: (typeof MATCHES)[number];

  /** Name of a claim of the ID token, or of a custom parameter as `custom.person_id`. */
  @ValidateIf(({ by }: PersonMatchDto) => by === 'claim')
  @FilledText(200, { example: 'custom.person_id' })
  claim?: string;
}

/** Absent members stay. */
export class UpdatePlatformDto {
  /** Name shown to people. The host of the issuer when absent. */
  @MayBeOmitted()
  @Trimmed()
  @IsPlainName()
  @FilledText(100, { example: 'Moodle of Example University' })
  name?: string;

  /** `iss` of its ID tokens, letter by letter. */
  @ApiProperty({ example: 'https://moodle.example.edu' })
  @MayBeOmitted()
  @Trimmed()
  @IsUrl(ADDRESS)
  @MaxLength(500)
  issuer?: string;

  /** The id that the platform gave this service. With the issuer it is unique in the whole installation. */
  @MayBeOmitted()
  @Trimmed()
  @FilledText(255, { example: 'IfTq7bO9vNEHpZk' })
  client_id?: string;

  @ApiProperty({ example: 'https://moodle.example.edu/mod/lti/auth.php' })
  @MayBeOmitted()
  @Trimmed()
  @IsUrl(ADDRESS)
  @MaxLength(1_000)
  authorization_endpoint?: string;

  @ApiProperty({ example: 'https://moodle.example.edu/mod/lti/token.php' })
  @MayBeOmitted()
  @Trimmed()
  @IsUrl(ADDRESS)
  @MaxLength(1_000)
  token_endpoint?: string;

  /** Audience of requests for access tokens, where it is not the token endpoint (Brightspace). */
  @IsOptional()
  @FilledText(1_000, { example: 'https://api.brightspace.com/auth/token' })
  token_audience?: string | null;

  @ApiProperty({ example: 'https://moodle.example.edu/mod/lti/certs.php' })
  @MayBeOmitted()
  @Trimmed()
  @IsUrl(ADDRESS)
  @MaxLength(1_000)
  jwks_uri?: string;

  /** Launches of other deployments are refused. */
  @ApiProperty({ example: ['1'] })
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(200)
  @ArrayUnique()
  @IsString({ each: true })
  @IsNotEmpty({ each: true })
  @MaxLength(255, { each: true })
  deployment_ids?: string[];

  /** Role of instructors at their first launch. Learners become members. */
  @MayBeOmitted() @OneOf(INSTRUCTOR_ROLES, { default: 'member' }) instructor_role?: InstructorRole;

  @MayBeOmitted()
  @IsObject()
  @ValidateNested()
  @Type(() => PersonMatchDto)
  match?: PersonMatchDto;

  /** False: launches are refused. */
  @Flag({ default: true }) active?: boolean;
}

/** The members without which there is no platform. */
export const NEEDED = [
  'issuer',
  'client_id',
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'deployment_ids',
] as const;

export class CreatePlatformDto extends UpdatePlatformDto {
  @ApiProperty({ example: 'https://moodle.example.edu' })
  declare issuer: string;

  @ApiProperty({ example: 'IfTq7bO9vNEHpZk' })
  declare client_id: string;

  @ApiProperty({ example: 'https://moodle.example.edu/mod/lti/auth.php' })
  declare authorization_endpoint: string;

  @ApiProperty({ example: 'https://moodle.example.edu/mod/lti/token.php' })
  declare token_endpoint: string;

  @ApiProperty({ example: 'https://moodle.example.edu/mod/lti/certs.php' })
  declare jwks_uri: string;

  @ApiProperty({ type: [String], example: ['1'] })
  declare deployment_ids: string[];
}

export class PlatformDto {
  id!: string;
  @ApiProperty({ example: 'Moodle of Example University' })
  name!: string;
  @ApiProperty({ example: 'https://moodle.example.edu' })
  issuer!: string;
  client_id!: string;
  authorization_endpoint!: string;
  token_endpoint!: string;
  token_audience!: string | null;
  jwks_uri!: string;
  deployment_ids!: string[];
  @ApiProperty({ enum: INSTRUCTOR_ROLES })
  instructor_role!: InstructorRole;
  match!: PersonMatchDto;
  /** False: launches are refused until an administrator confirms the platform. */
  active!: boolean;
  /** True when it registered itself, and no administrator has accepted it: check its issuer, then set `active`. */
  awaits_approval!: boolean;
  /** Tool URL and redirect URI, to be entered at the platform, as are the next three. */
  @ApiProperty({ example: 'https://bellwether.example.edu/lti/launch' })
  launch_url!: string;
  /** Initiate login URL of this platform. `/lti/login` without the id works too, unless other platforms share the issuer. */
  @ApiProperty({ example: 'https://bellwether.example.edu/lti/login/01936f5e-7c1a-7000-8000-000000000000' })
  login_url!: string;
  /** Public keyset. */
  @ApiProperty({ example: 'https://bellwether.example.edu/lti/jwks' })
  jwks_url!: string;
  /** Content selection URL, and a second redirect URI. */
  @ApiProperty({ example: 'https://bellwether.example.edu/lti/deep-link' })
  deep_link_url!: string;
  version!: number;
  created_at!: string;
  updated_at!: string;
}

export class PlatformPageDto extends PageOf(PlatformDto) {}
