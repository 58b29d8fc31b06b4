import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsString, MaxLength, ValidateIf } from 'class-validator';
import { IsName, MayBeOmitted, PageQueryDto, Trimmed, Text, FilledText } from '../../infrastructure/http';

export const MOST_EXTERNAL_ID = 255;

export class UpdateGroupDto {
  /** Unique in the organization, without regard to case. */
  @MayBeOmitted() @IsName({ example: 'Physics 1, winter term', required: false }) name?: string;

  @MayBeOmitted()
  @Trimmed()
  @Text(2_000, { example: 'Lecture and labs of Prof. Noether' })
  description?: string;

  /** Id of the group in the institution's directory; for administrators. */
  @ValidateIf((_body, value) => value !== undefined && value !== null)
  @Trimmed()
  @FilledText(MOST_EXTERNAL_ID, { example: '/courses/physics-1' })
  external_id?: string | null;
}

export class CreateGroupDto extends OmitType(UpdateGroupDto, ['name']) {
  @IsName({ example: 'Physics 1, winter term' }) name!: string;
}

export class GroupQueryDto extends PageQueryDto {
  /** Part of the name. */
  @MayBeOmitted()
  @Trimmed()
  @Text(200)
  q?: string;
}

export class AddGroupMembersDto {
  /** User ids or e-mail addresses of members of the organization. */
  @ApiProperty({ example: ['ada@example.edu'], minItems: 1, maxItems: 500 })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(500)
  @IsString({ each: true })
  @MaxLength(254, { each: true })
  members!: string[];
}
