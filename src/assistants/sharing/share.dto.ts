import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsEmail, IsUUID, MaxLength, ValidateIf, ValidateNested } from 'class-validator';
import { MayBeOmitted, OneOf } from '../../infrastructure/http';

export class ShareDto {
  @ApiProperty({ example: 'ada@example.edu' })
  @ValidateIf(({ user_id }: ShareDto) => user_id === undefined)
  @IsEmail({ require_tld: false })
  @MaxLength(254)
  email?: string;

  @MayBeOmitted()
  @IsUUID()
  user_id?: string;

  @MayBeOmitted() @OneOf(['use', 'edit'], { default: 'use' }) access?: 'use' | 'edit';
}

export class GroupShareDto {
  @IsUUID()
  group_id!: string;

  @MayBeOmitted() @OneOf(['use', 'edit'], { default: 'use' }) access?: 'use' | 'edit';
}

export class ReplaceSharesDto {
  /** All people with access; a person who is missing loses it. Without any list, everybody does. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(500)
  @ValidateNested({ each: true })
  @Type(() => ShareDto)
  shares?: ShareDto[];

  /** LAMB's form of the same list: everyone may use it. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(500)
  @IsEmail({ require_tld: false }, { each: true })
  user_emails?: string[];

  /** All groups with access; a group that is missing loses it. Absent: the groups stay. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => GroupShareDto)
  groups?: GroupShareDto[];
}

export class ShareViewDto {
  user_id!: string;
  email!: string | null;
  name!: string | null;
  @ApiProperty({ enum: ['use', 'edit'] })
  access!: 'use' | 'edit';
}

export class GroupShareViewDto {
  group_id!: string;
  @ApiProperty({ example: 'Physics 1, winter term' })
  name!: string;
  @ApiProperty({ enum: ['use', 'edit'] })
  access!: 'use' | 'edit';
}

export class SharesDto {
  shares!: ShareViewDto[];
  groups!: GroupShareViewDto[];
}
