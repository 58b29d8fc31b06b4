import { type Caller, ROLES, type Role, SCOPES, type Scope } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsISO8601, IsIn, IsInt, Max, Min } from 'class-validator';
import { EXTENSIONS, type Extension } from '../infrastructure/config';
import {
  FilledText,
  Flag,
  IsPlainName,
  MayBeOmitted,
  PageOf,
  PageQueryDto,
  Text,
  Trimmed,
} from '../infrastructure/http';

export class ApiKeyDto {
  id!: string;
  name!: string;
  /** First characters of the key; null for a key that the operator chose. */
  prefix!: string | null;
  owner_id!: string;

  @ApiProperty({ enum: SCOPES, isArray: true })
  scopes!: Scope[];

  /** Assistants that the key may use; null for all of its owner. */
  assistant_ids!: number[] | null;

  /** The key reaches published assistants only. */
  published_only!: boolean;

  expires_at!: string | null;
  /** Written once a minute at most. */
  last_used_at!: string | null;
  created_at!: string;
}

export class CreatedApiKeyDto extends ApiKeyDto {
  /** Shown only in this answer. */
  @ApiProperty({ example: 'bw_live_AbCdEf123456_…' })
  key!: string;
}

export class ApiKeyPageDto extends PageOf(ApiKeyDto) {}

class MyselfDto {
  id!: string;
  email!: string;
  name!: string;
}

class MyOrganizationDto {
  id!: string;
  slug!: string;
  name!: string;

  @ApiProperty({ additionalProperties: { type: 'boolean' } })
  features!: object;
}

class MyCredentialDto {
  @ApiProperty({ enum: ['api_key', 'session', 'token', 'system'] })
  kind!: Caller['kind'];

  id!: string | null;
}

/** Person, organization and rights of the credential. */
export class MeDto {
  user!: MyselfDto;
  organization!: MyOrganizationDto;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  system_admin!: boolean;
  credential!: MyCredentialDto;

  @ApiProperty({ enum: SCOPES, isArray: true })
  scopes!: Scope[];

  assistant_ids!: number[] | null;

  /** Extensions of the service that are on. */
  @ApiProperty({ enum: EXTENSIONS, isArray: true })
  extensions!: Extension[];
}

export class CreateApiKeyDto {
  @Trimmed()
  @IsPlainName()
  @FilledText(200, { example: 'Open WebUI' })
  name!: string;

  @ApiProperty({ enum: SCOPES, isArray: true, example: ['chat'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes!: Scope[];

  /** Another member, by id or e-mail address; administrators only. */
  @MayBeOmitted() @Text(254) owner?: string;

  /** Another organization, by slug; system administrators only. */
  @MayBeOmitted() @Text(63) organization?: string;

  /**
   * Assistants that the key may use; all of its owner when absent. Such a key reaches their runs, administers nothing and
   * has no conversations, ratings, comparisons and exports.
   */
  @ApiProperty({ required: false, type: 'array', items: { type: 'integer' } })
  @MayBeOmitted()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @ArrayUnique()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(2_147_483_647, { each: true })
  assistant_ids?: number[];

  /**
   * Restricts the key to published assistants; drafts of its owner are excluded. The rules of `assistant_ids` apply.
   * Cannot be combined with `write` or `admin`.
   */
  @Flag() published_only?: boolean;

  @ApiProperty({ format: 'date-time', example: '2027-01-01T00:00:00Z' })
  @MayBeOmitted()
  @IsISO8601({ strict: true, strictSeparator: true })
  expires_at?: string;
}

export class ListApiKeysDto extends PageQueryDto {
  /** `me` (default), a member by id or e-mail address, or `all`. Other members' keys are for administrators. */
  @MayBeOmitted() @Text(254) owner?: string;
}
