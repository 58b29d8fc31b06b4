import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentCaller } from '../../../src/infrastructure/http';
import {
  type ListResponse,
  type ScimQuery,
  type ScimResource,
  USER_SCHEMA,
  listQueryOf,
  listResponse,
  projected,
} from '../protocol/list-query';
import { operationsOf } from '../protocol/patch';
import { ScimAddress } from '../protocol/scim-address.service';
import { PATCH_BODY, USER, USER_BODY } from '../protocol/scim-examples';
import { ClientOrigin, ScimRoute } from '../protocol/scim-route.decorator';
import { type ProvisionedUser, ScimUsers } from './scim-users.service';
import { userOf } from './user-resource';

@ApiTags('SCIM')
@Controller('scim/v2/Users')
export class ScimUsersController {
  constructor(
    private readonly users: ScimUsers,
    private readonly address: ScimAddress,
  ) {}

  @Get()
  @ScimRoute('List the users of the directory')
  @ApiOkResponse(USER.list)
  async list(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Query() query: ScimQuery,
  ): Promise<ListResponse> {
    const wanted = listQueryOf(query);
    const { users, total } = await this.users.page(caller, wanted);
    const resources = users.map((user) => projected(this.resource(origin, user), query));
    return listResponse(resources, total, wanted.startIndex);
  }

  @Post()
  @ScimRoute('Create a user')
  @ApiBody(USER_BODY)
  @ApiCreatedResponse(USER.one)
  async create(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScimResource> {
    const resource = this.resource(origin, await this.users.create(caller, userOf(body)));
    response.location((resource['meta'] as { location: string }).location);
    return resource;
  }

  @Get(':id')
  @ScimRoute('Read a user')
  @ApiOkResponse(USER.one)
  async get(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Param('id') id: string,
    @Query() query: ScimQuery,
  ): Promise<ScimResource> {
    return projected(this.resource(origin, await this.users.get(caller, id)), query);
  }

  @Put(':id')
  @ScimRoute('Replace a user')
  @ApiBody(USER_BODY)
  @ApiOkResponse(USER.one)
  async replace(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ScimResource> {
    return this.resource(origin, await this.users.replace(caller, id, userOf(body)));
  }

  @Patch(':id')
  @ScimRoute('Change a user')
  @ApiBody(PATCH_BODY)
  @ApiOkResponse(USER.one)
  async patch(
    @CurrentCaller() caller: Caller,
    @ClientOrigin() origin: string,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ScimResource> {
    return this.resource(origin, await this.users.patch(caller, id, operationsOf(body)));
  }

  @Delete(':id')
  @HttpCode(204)
  @ScimRoute('Delete a user: the member is disabled, content stays')
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.users.remove(caller, id);
  }

  private resource(origin: string, { id, values, createdAt, updatedAt }: ProvisionedUser): ScimResource {
    const { externalId, displayName, name, emails, userName, active } = values;
    return {
      schemas: [USER_SCHEMA],
      id,
      ...(externalId === null ? {} : { externalId }),
      userName,
      ...(displayName === null ? {} : { displayName }),
      ...(Object.keys(name).length === 0 ? {} : { name }),
      ...(emails.length === 0 ? {} : { emails }),
      active,
      meta: {
        resourceType: 'User',
        created: createdAt.toISOString(),
        lastModified: updatedAt.toISOString(),
        location: `${this.address.base(origin)}/Users/${id}`,
      },
    };
  }
}
