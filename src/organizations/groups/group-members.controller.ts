import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, ForPeople, PageQueryDto, toPageRequest } from '../../infrastructure/http';
import { InOrganization, type OrganizationRequest } from '../organization/in-organization.decorator';
import { GroupMembersService } from './group-members.service';
import { AddGroupMembersDto, AddedGroupMembersDto, GroupMemberPageDto } from './group.dto';

@ApiTags('Groups')
@ForPeople()
@Controller('api/v1/organizations/:slug/groups/:id/members')
export class GroupMembersController {
  constructor(private readonly members: GroupMembersService) {}

  @Get()
  @Access({
    scope: 'read',
    role: 'teacher',
    summary: 'List the members of a group',
    description: 'For administrators and the teacher who made the group.',
  })
  list(
    @InOrganization('seen') at: OrganizationRequest,
    @Param('id') id: string,
    @Query() page: PageQueryDto,
  ): Promise<GroupMemberPageDto> {
    return this.members.list(at, id, toPageRequest(page));
  }

  @Post()
  @HttpCode(200)
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Add members to a group',
    description: 'People who are in the group already stay as they are.',
  })
  add(
    @InOrganization('seen') at: OrganizationRequest,
    @Param('id') id: string,
    @Body() { members }: AddGroupMembersDto,
  ): Promise<AddedGroupMembersDto> {
    return this.members.add(at, id, members);
  }

  @Delete(':member')
  @HttpCode(204)
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Remove a member from a group',
    description: '`member` is a user id or an e-mail address. Access through the group ends at once.',
  })
  async remove(
    @InOrganization('seen') at: OrganizationRequest,
    @Param('id') id: string,
    @Param('member') member: string,
  ): Promise<void> {
    await this.members.remove(at, id, member);
  }
}
