import { ROLES, type Role } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsEmail, IsInt, IsString, Matches, Max, MaxLength, Min, MinLength, ValidateNested } from 'class-validator';
import { FilledText, Flag, IsPlainName, MayBeOmitted, OneOf, Trimmed } from '../../infrastructure/http';
import { MAIL_LANGUAGES, type MailLanguage } from '../../infrastructure/mail';
import { SLUG } from './founding.service';

export const GRACE_DAYS = { least: 1, usual: 30, most: 365 } as const;

/** The members get a notice by e-mail, where the service sends mail. */
export class NoticeDto {
  /** Language of the notice to the members. */
  @OneOf(MAIL_LANGUAGES, { required: false, default: 'en' }) language: MailLanguage = 'en';
}

export class EndOrganizationDto extends NoticeDto {
  /** Days in which the organization can be restored. */
  @Type(() => Number)
  @IsInt()
  @Min(GRACE_DAYS.least)
  @Max(GRACE_DAYS.most)
  grace_days: number = GRACE_DAYS.usual;
}

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
