import { type Role, ROLES } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsNotEmpty,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { SLUG } from './founding.service';
import { IsPlainName, MayBeOmitted } from '../../infrastructure/http';

const trim = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);
/** Addresses of campus hosts need no top-level domain. */
const EMAIL = { require_tld: false };

export class PersonDto {
  @ApiProperty({ example: 'ada@example.edu' })
  @Transform(trim)
  @IsEmail(EMAIL)
  @MaxLength(254)
  email!: string;

  @ApiProperty({ example: 'Ada Lovelace' })
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @IsPlainName()
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

  @ApiProperty({ example: 'Department of Physics' })
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @IsPlainName()
  name!: string;

  /** First owner. */
  @MayBeOmitted()
  @Type(() => PersonDto)
  @ValidateNested()
  owner?: PersonDto;
}

export class CreateMemberDto extends PersonDto {
  @ApiProperty({ enum: ROLES, example: 'teacher' })
  @IsIn(ROLES)
  role!: Role;
}

export class UpdateMemberDto {
  /**
   * New e-mail address. Refused (409) when another organization has the account too. The provider or directory that owns
   * the account may change it again.
   */
  @ApiProperty({ required: false, example: 'ada@example.edu' })
  @MayBeOmitted()
  @Transform(trim)
  @IsEmail(EMAIL)
  @MaxLength(254)
  email?: string;

  @ApiProperty({ required: false })
  @MayBeOmitted()
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @IsPlainName()
  name?: string;

  @ApiProperty({ enum: ROLES, required: false })
  @MayBeOmitted()
  @IsIn(ROLES)
  role?: Role;

  /** A disabled member's keys answer 401 within 5 s. */
  @MayBeOmitted()
  @IsBoolean()
  disabled?: boolean;
}
