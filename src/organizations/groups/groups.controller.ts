import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, ForPeople, IfMatch, TagsVersion, toPageRequest } from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import { InOrganization, type OrganizationRequest } from '../organization/in-organization.decorator';
import { CreateGroupDto, GroupDto, GroupPageDto, GroupQueryDto, UpdateGroupDto } from './group.dto';
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
  list(@InOrganization('seen') at: OrganizationRequest, @Query() query: GroupQueryDto): Promise<GroupPageDto> {
    return this.groups.list(at, query.q, toPageRequest(query));
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
  create(@InOrganization('seen') at: OrganizationRequest, @Body() body: CreateGroupDto): Promise<GroupDto> {
    return this.groups.create(at, body);
  }

  @Get(':id')
  @TagsVersion()
  @Access({ scope: 'read', summary: 'Read a group' })
  get(@InOrganization('seen') at: OrganizationRequest, @Param('id') id: string): Promise<GroupDto> {
    return this.groups.get(at, id);
  }

  @Patch(':id')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Change a group', description: 'Absent members stay.' })
  update(
    @InOrganization('seen') at: OrganizationRequest,
    @Param('id') id: string,
    @Body() body: UpdateGroupDto,
    @IfMatch('demanded') expected: number | null,
  ): Promise<GroupDto> {
    return this.groups.update(at, id, body, expected);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete a group and every share with it' })
  async remove(
    @InOrganization('seen') at: OrganizationRequest,
    @Param('id') id: string,
    @IfMatch('welcome') expected: number | null,
  ): Promise<void> {
    await this.groups.remove(at, id, expected);
  }
}
