import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsNotEmpty, IsString, MaxLength, ValidateIf } from 'class-validator';
import { IsName, MayBeOmitted, PageQueryDto } from '../../infrastructure/http';

const trim = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);

export const MOST_EXTERNAL_ID = 255;

export class UpdateGroupDto {
  /** Unique in the organization, without regard to case. */
  @MayBeOmitted()
  @IsName({ example: 'Physics 1, winter term', required: false })
  name?: string;

  @ApiPropertyOptional({ example: 'Lecture and labs of Prof. Noether' })
  @MayBeOmitted()
  @Transform(trim)
  @IsString()
  @MaxLength(2_000)
  description?: string;

  /** Id of the group in the institution's directory; for administrators. */
  @ApiPropertyOptional({ type: String, nullable: true, example: '/courses/physics-1' })
  @ValidateIf((_body, value) => value !== undefined && value !== null)
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(MOST_EXTERNAL_ID)
  external_id?: string | null;
}

export class CreateGroupDto extends OmitType(UpdateGroupDto, ['name']) {
  @IsName({ example: 'Physics 1, winter term' })
  name!: string;
}

export class GroupQueryDto extends PageQueryDto {
  /** Part of the name. */
  @MayBeOmitted()
  @Transform(trim)
  @IsString()
  @MaxLength(200)
  q?: string;
}

export class AddGroupMembersDto {
  /** User ids or e-mail addresses of members of the organization. */
  @ApiProperty({ type: [String], example: ['ada@example.edu'], minItems: 1, maxItems: 500 })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(500)
  @IsString({ each: true })
  @MaxLength(254, { each: true })
  members!: string[];
}
