import type { Caller } from '@bellwether/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, toPageRequest, ForPeople } from '../infrastructure/http';
import { ExternalCollectionPageDto, ExternalCollectionQueryDto } from './knowledge-base.dto';
import { ExternalCollectionsService } from './external-collections.service';

/** Registered before the route `/:id`, which would match `external`. */
@ApiTags('Knowledge bases')
@ForPeople()
@Controller('api/v1/knowledge-bases/external')
export class ExternalCollectionsController {
  constructor(private readonly collections: ExternalCollectionsService) {}

  @Get()
  @Access({ scope: 'read', summary: "List one's own and shared collections of the organization's external server" })
  list(
    @CurrentCaller() caller: Caller,
    @Query() query: ExternalCollectionQueryDto,
  ): Promise<ExternalCollectionPageDto> {
    return this.collections.list(caller, toPageRequest(query));
  }
}
