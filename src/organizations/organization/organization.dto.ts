import { type Role, ROLES } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsEmail, IsString, Matches, MaxLength, MinLength, ValidateNested } from 'class-validator';
import { SLUG } from './founding.service';
import { IsPlainName, MayBeOmitted, Trimmed, FilledText, OneOf, Flag } from '../../infrastructure/http';

/** Addresses of campus hosts need no top-level domain. */
const EMAIL = { require_tld: false };

export class PersonDto {
  @ApiProperty({ example: 'ada@example.edu' })
  @Trimmed()
  @IsEmail(EMAIL)
  @MaxLength(254)
  email!: string;

  @Trimmed()
  @IsPlainName()
  @FilledText(200, { example: 'Ada Lovelace' })
  name!: string;
}

export class CreateOrganizationDto {
  /** Name in URLs, never changed again. */
  @ApiProperty({ example: 'physics', pattern: '^[a-z0-9](-?[a-z0-9])*$', minLength: 2, maxLength: 63 })
  @IsString()
  @MinLength(2)
  @MaxLength(63)
  @Matches(SLUG, {
    message: 'slug must hold lower-case letters, digits and single hyphens',
    context: { code: 'value.slug' },
  })
  slug!: string;

  @Trimmed()
  @IsPlainName()
  @FilledText(200, { example: 'Department of Physics' })
  name!: string;

  /** First owner. */
  @MayBeOmitted()
  @Type(() => PersonDto)
  @ValidateNested()
  owner?: PersonDto;
}

export class CreateMemberDto extends PersonDto {
  @OneOf(ROLES, { example: 'teacher' }) role!: Role;
}

export class UpdateMemberDto {
  /**
   * New e-mail address. Refused (409) when another organization has the account too. The provider or directory that owns
   * the account may change it again.
   */
  @ApiProperty({ example: 'ada@example.edu' })
  @MayBeOmitted()
  @Trimmed()
  @IsEmail(EMAIL)
  @MaxLength(254)
  email?: string;

  @MayBeOmitted()
  @Trimmed()
  @IsPlainName()
  @FilledText(200)
  name?: string;

  @MayBeOmitted() @OneOf(ROLES) role?: Role;

  /** A disabled member's keys answer 401 within 5 s. */
  @Flag() disabled?: boolean;
}
