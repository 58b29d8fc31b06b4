import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { IsPlainName, MayBeOmitted } from '../../../src/infrastructure/http';
import { INSTRUCTOR_ROLES, type InstructorRole, MATCHES } from './platform.entity';

const trim = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);
const ADDRESS = {
  require_tld: false,
  protocols: ['http', 'https'],
  require_protocol: true,
  disallow_auth: true,
};

export class PersonMatchDto {
  /** `none`: every person of the platform gets an account of their own. `verified_email`: the member with the same address. `claim`: the member whose id in the directory or at the OpenID provider is the value of `claim`. Accounts of administrators are never matched. */
  @ApiProperty({ enum: MATCHES, example: 'verified_email' })
  @IsIn(MATCHES)
  by!: (typeof MATCHES)[number];

  /** Name of a claim of the ID token, or of a custom parameter as `custom.person_id`. */
  @ApiProperty({ required: false, example: 'custom.person_id' })
  @ValidateIf(({ by }: PersonMatchDto) => by === 'claim')
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  claim?: string;
}

/** Absent members stay. */
export class UpdatePlatformDto {
  /** Name shown to people. The host of the issuer when absent. */
  @ApiProperty({ required: false, example: 'Moodle of Example University' })
  @MayBeOmitted()
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(100)
  @IsPlainName()
  name?: string;

  /** `iss` of its ID tokens, letter by letter. */
  @ApiProperty({ required: false, example: 'https://moodle.example.edu' })
  @MayBeOmitted()
  @Transform(trim)
  @IsUrl(ADDRESS)
  @MaxLength(500)
  issuer?: string;

  /** The id that the platform gave this service. With the issuer it is unique in the whole installation. */
  @ApiProperty({ required: false, example: 'IfTq7bO9vNEHpZk' })
  @MayBeOmitted()
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(255)
  client_id?: string;

  @ApiProperty({ required: false, example: 'https://moodle.example.edu/mod/lti/auth.php' })
  @MayBeOmitted()
  @Transform(trim)
  @IsUrl(ADDRESS)
  @MaxLength(1_000)
  authorization_endpoint?: string;

  @ApiProperty({ required: false, example: 'https://moodle.example.edu/mod/lti/token.php' })
  @MayBeOmitted()
  @Transform(trim)
  @IsUrl(ADDRESS)
  @MaxLength(1_000)
  token_endpoint?: string;

  /** Audience of requests for access tokens, where it is not the token endpoint (Brightspace). */
  @ApiProperty({ type: String, required: false, nullable: true, example: 'https://api.brightspace.com/auth/token' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(1_000)
  token_audience?: string | null;

  @ApiProperty({ required: false, example: 'https://moodle.example.edu/mod/lti/certs.php' })
  @MayBeOmitted()
  @Transform(trim)
  @IsUrl(ADDRESS)
  @MaxLength(1_000)
  jwks_uri?: string;

  /** Launches of other deployments are refused. */
  @ApiProperty({ type: [String], required: false, example: ['1'] })
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(200)
  @ArrayUnique()
  @IsString({ each: true })
  @IsNotEmpty({ each: true })
  @MaxLength(255, { each: true })
  deployment_ids?: string[];

  /** Role of instructors at their first launch. Learners become members. */
  @ApiProperty({ enum: INSTRUCTOR_ROLES, required: false, default: 'member' })
  @MayBeOmitted()
  @IsIn(INSTRUCTOR_ROLES)
  instructor_role?: InstructorRole;

  @ApiProperty({ type: PersonMatchDto, required: false })
  @MayBeOmitted()
  @IsObject()
  @ValidateNested()
  @Type(() => PersonMatchDto)
  match?: PersonMatchDto;

  /** False: launches are refused. */
  @ApiProperty({ required: false, default: true })
  @MayBeOmitted()
  @IsBoolean()
  active?: boolean;
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

export class PlatformPageDto {
  items!: PlatformDto[];
  next_cursor!: string | null;
  total!: number;
}
