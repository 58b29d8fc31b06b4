import { notFound } from '@bellwether/kernel';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { resourceTypes, schemas, serviceProviderConfig } from './protocol/discovery';
import { type ListResponse, type ScimResource, listResponse } from './protocol/list-query';
import { ScimAddress } from './protocol/scim-address.service';
import { DISCOVERED } from './protocol/scim-examples';
import { ClientOrigin, ScimRoute } from './protocol/scim-route.decorator';

@ApiTags('SCIM')
@Controller('scim/v2')
export class DiscoveryController {
  constructor(private readonly address: ScimAddress) {}

  @Get('ServiceProviderConfig')
  @ScimRoute('Read what the SCIM service supports')
  @ApiOkResponse(DISCOVERED.one)
  config(@ClientOrigin() origin: string): ScimResource {
    return serviceProviderConfig(this.address.base(origin));
  }

  @Get('ResourceTypes')
  @ScimRoute('List the types of resources')
  @ApiOkResponse(DISCOVERED.list)
  types(@ClientOrigin() origin: string): ListResponse {
    return everything(resourceTypes(this.address.base(origin)));
  }

  @Get('ResourceTypes/:id')
  @ScimRoute('Read a type of resources')
  @ApiOkResponse(DISCOVERED.one)
  type(@ClientOrigin() origin: string, @Param('id') id: string): ScimResource {
    return one(resourceTypes(this.address.base(origin)), id);
  }

  @Get('Schemas')
  @ScimRoute('List the schemas')
  @ApiOkResponse(DISCOVERED.list)
  schemas(@ClientOrigin() origin: string): ListResponse {
    return everything(schemas(this.address.base(origin)));
  }

  @Get('Schemas/:id')
  @ScimRoute('Read a schema')
  @ApiOkResponse(DISCOVERED.one)
  schema(@ClientOrigin() origin: string, @Param('id') id: string): ScimResource {
    return one(schemas(this.address.base(origin)), id);
  }
}

const everything = (resources: readonly ScimResource[]): ListResponse => listResponse(resources, resources.length, 1);

function one(resources: readonly ScimResource[], id: string): ScimResource {
  const found = resources.find((resource) => resource['id'] === id);
  if (found === undefined) throw notFound('Resource');
  return found;
}
