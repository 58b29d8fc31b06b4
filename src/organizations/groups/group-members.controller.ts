import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PageQueryDto, toPageRequest, ForPeople } from '../../infrastructure/http';
import { AddedGroupMembersDto, GroupMemberPageDto } from './group-answer.dto';
import { AddGroupMembersDto } from './group.dto';
import { GroupMembersService } from './group-members.service';

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
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Query() page: PageQueryDto,
  ): Promise<GroupMemberPageDto> {
    return this.members.list({ caller, slug }, id, toPageRequest(page));
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
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Body() { members }: AddGroupMembersDto,
  ): Promise<AddedGroupMembersDto> {
    return this.members.add({ caller, slug }, id, members);
  }

  @Delete(':member')
  @HttpCode(204)
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Remove a member from a group',
    description: '`member` is a user id or an e-mail address. Access through the group ends at once.',
  })
  @ApiNoContentResponse()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Param('member') member: string,
  ): Promise<void> {
    await this.members.remove({ caller, slug }, id, member);
  }
}
