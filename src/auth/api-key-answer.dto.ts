import { type Caller, type Role, ROLES, type Scope, SCOPES } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { type Extension, EXTENSIONS } from '../infrastructure/config';
import { PageOf } from '../infrastructure/http';

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

export class MyselfDto {
  id!: string;
  email!: string;
  name!: string;
}

export class MyOrganizationDto {
  id!: string;
  slug!: string;
  name!: string;

  @ApiProperty({ additionalProperties: { type: 'boolean' } })
  features!: object;
}

export class MyCredentialDto {
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
