import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import {
  Access,
  CurrentCaller,
  IfMatch,
  ReadsIfMatch,
  TagsVersion,
  toPageRequest,
  ForPeople,
} from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import { GroupDto, GroupPageDto } from './group-answer.dto';
import { CreateGroupDto, GroupQueryDto, UpdateGroupDto } from './group.dto';
import { GroupsService } from './groups.service';

@ApiTags('Groups')
@ForPeople()
@Controller('api/v1/organizations/:slug/groups')
export class GroupsController {
  constructor(private readonly groups: GroupsService) {}

  @Get()
  @Access({
    scope: 'read',
    summary: 'List groups by name',
    description: 'Administrators and teachers see all groups, other members the groups that they are in.',
  })
  list(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() query: GroupQueryDto,
  ): Promise<GroupPageDto> {
    return this.groups.list({ caller, slug }, query.q, toPageRequest(query));
  }

  @Post()
  @TagsVersion()
  @Idempotent()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Make a group',
    description: 'A teacher manages the groups that they made. Only administrators set an external id.',
  })
  create(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: CreateGroupDto,
  ): Promise<GroupDto> {
    return this.groups.create({ caller, slug }, body);
  }

  @Get(':id')
  @TagsVersion()
  @Access({ scope: 'read', summary: 'Read a group' })
  get(@CurrentCaller() caller: Caller, @Param('slug') slug: string, @Param('id') id: string): Promise<GroupDto> {
    return this.groups.get({ caller, slug }, id);
  }

  @Patch(':id')
  @TagsVersion()
  @ReadsIfMatch('demanded')
  @Access({ scope: 'write', role: 'teacher', summary: 'Change a group', description: 'Absent members stay.' })
  update(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Body() body: UpdateGroupDto,
    @IfMatch('demanded') expected: number | null,
  ): Promise<GroupDto> {
    return this.groups.update({ caller, slug }, id, body, expected);
  }

  @Delete(':id')
  @HttpCode(204)
  @ReadsIfMatch('welcome')
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete a group and every share with it' })
  @ApiNoContentResponse()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('id') id: string,
    @IfMatch('welcome') expected: number | null,
  ): Promise<void> {
    await this.groups.remove({ caller, slug }, id, expected);
  }
}
