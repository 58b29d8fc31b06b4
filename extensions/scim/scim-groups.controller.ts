import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentCaller } from '../../src/infrastructure/http';
import type { DirectoryGroup } from '../../src/organizations';
import {
  GROUP_SCHEMA,
  type ListResponse,
  type ScimQuery,
  type ScimResource,
  listQueryOf,
  listResponse,
  projected,
} from './protocol/list-query';
import { operationsOf } from './protocol/patch';
import { ScimAddress } from './protocol/scim-address.service';
import { GROUP, GROUP_BODY, PATCH_BODY } from './protocol/scim-examples';
import { ClientOrigin, ScimRoute } from './protocol/scim-route.decorator';
import { ScimGroups, groupOf } from './scim-groups.service';

@ApiTags('SCIM')
@Controller('scim/v2/Groups')
export class ScimGroupsController {
  constructor(
    private readonly groups: ScimGroups,
    private readonly address: ScimAddress,
  ) {}

  @Get()
  @ScimRoute('List the groups of the directory')
  @ApiOkResponse(GROUP.list)
  async list(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Query() query: ScimQuery,
  ): Promise<ListResponse> {
    const wanted = listQueryOf(query);
    const { groups, total } = await this.groups.page(caller, wanted);
    const resources = groups.map((group) => projected(this.resource(origin, group), query));
    return listResponse(resources, total, wanted.startIndex);
  }

  @Post()
  @ScimRoute('Create a group')
  @ApiBody(GROUP_BODY)
  @ApiCreatedResponse(GROUP.one)
  async create(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScimResource> {
    const resource = this.resource(origin, await this.groups.create(caller, groupOf(body)));
    response.location((resource['meta'] as { location: string }).location);
    return resource;
  }

  @Get(':id')
  @ScimRoute('Read a group')
  @ApiOkResponse(GROUP.one)
  async get(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Param('id') id: string,
    @Query() query: ScimQuery,
  ): Promise<ScimResource> {
    return projected(this.resource(origin, await this.groups.get(caller, id)), query);
  }

  @Put(':id')
  @ScimRoute('Replace a group and its members')
  @ApiBody(GROUP_BODY)
  @ApiOkResponse(GROUP.one)
  async replace(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ScimResource> {
    return this.resource(origin, await this.groups.replace(caller, id, groupOf(body)));
  }

  @Patch(':id')
  @ScimRoute('Change a group or its members')
  @ApiBody(PATCH_BODY)
  @ApiOkResponse(GROUP.one)
  async patch(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ScimResource> {
    return this.resource(origin, await this.groups.patch(caller, id, operationsOf(body)));
  }

  @Delete(':id')
  @HttpCode(204)
  @ScimRoute('Delete a group and every share with it')
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.groups.remove(caller, id);
  }

  private resource(origin: string, group: DirectoryGroup): ScimResource {
    const { id, name, externalId, userIds, createdAt, updatedAt } = group;
    const base = this.address.base(origin);
    return {
      schemas: [GROUP_SCHEMA],
      id,
      ...(externalId === null ? {} : { externalId }),
      displayName: name,
      members: userIds.map((value) => ({ value, $ref: `${base}/Users/${value}` })),
      meta: {
        resourceType: 'Group',
        created: createdAt.toISOString(),
        lastModified: updatedAt.toISOString(),
        location: `${base}/Groups/${id}`,
      },
    };
  }
}
