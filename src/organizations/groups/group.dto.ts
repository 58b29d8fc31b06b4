import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsString, MaxLength, ValidateIf } from 'class-validator';
import { FilledText, Id, IsName, MayBeOmitted, PageOf, PageQueryDto, Text, Trimmed } from '../../infrastructure/http';
import { GROUP_SOURCES, type GroupSource, MEMBERSHIP_SOURCES, type MembershipSource } from './group.entity';

export class GroupDto {
  id!: string;
  @ApiProperty({ example: 'Physics 1, winter term' })
  name!: string;
  description!: string;
  /** Id of the group in the institution's directory. */
  @ApiProperty({ example: '/courses/physics-1' })
  external_id!: string | null;
  /** The teacher who made it; null for a group of the administrators. */
  @Id() owner_id!: string | null;
  /** `scim`: a directory made it, and sets its name and external id. */
  @ApiProperty({ enum: GROUP_SOURCES })
  source!: GroupSource;
  @ApiProperty({ example: 24 })
  member_count!: number;
  /** Whether the caller is in the group. */
  is_member!: boolean;
  /** Whether the caller may change the group and its members. */
  may_manage!: boolean;
  /** Counts changes of the group, not of its members. */
  version!: number;
  created_at!: string;
  updated_at!: string;
}

export class GroupPageDto extends PageOf(GroupDto) {}

export class GroupMemberDto {
  user_id!: string;
  @ApiProperty({ example: 'ada@example.edu' })
  email!: string;
  @ApiProperty({ example: 'Ada Lovelace' })
  name!: string;
  /** A disabled member of the organization has no access. */
  disabled!: boolean;
  /** `manual`: added here. `sso`: by the claims of the last sign-in. `scim`: by a directory. */
  @ApiProperty({ enum: MEMBERSHIP_SOURCES, isArray: true })
  sources!: MembershipSource[];
  /** The oldest of these memberships. */
  since!: string;
}

export class GroupMemberPageDto extends PageOf(GroupMemberDto) {}

export class AddedGroupMembersDto {
  /** People who were not in the group before. */
  added!: number;
  member_count!: number;
}

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
