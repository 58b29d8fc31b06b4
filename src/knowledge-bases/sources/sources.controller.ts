import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Access, CurrentCaller, toPageRequest, ForPeople } from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import { CreateSourceDto, SourceDto, SourceListQueryDto, SourcePageDto, UpdateSourceDto } from './source.dto';
import { SourcesService } from './sources.service';

@ForPeople()
@Controller('api/v1/knowledge-bases/:knowledgeBaseId/sources')
export class SourcesController {
  constructor(private readonly sources: SourcesService) {}

  @Post()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Add an address to a knowledge base',
    description:
      "The service fetches a page, a file, or the captions of a video, and makes it a document. It obeys the site's robots.txt. The answer waits up to ten seconds for it.",
  })
  @Idempotent()
  add(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Body() body: CreateSourceDto,
  ): Promise<SourceDto> {
    return this.sources.add(caller, knowledgeBaseId, body);
  }

  @Get()
  @Access({ scope: 'read', summary: 'List the addresses of a knowledge base, oldest first' })
  list(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Query() query: SourceListQueryDto,
  ): Promise<SourcePageDto> {
    return this.sources.list(caller, knowledgeBaseId, toPageRequest(query));
  }

  @Get(':id')
  @Access({ scope: 'read', summary: 'Describe an address' })
  get(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
  ): Promise<SourceDto> {
    return this.sources.get(caller, knowledgeBaseId, id);
  }

  @Patch(':id')
  @Access({ scope: 'write', role: 'teacher', summary: 'Change when an address is fetched again' })
  update(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
    @Body() body: UpdateSourceDto,
  ): Promise<SourceDto> {
    return this.sources.update(caller, knowledgeBaseId, id, body);
  }

  @Post(':id/refresh')
  @Idempotent()
  @HttpCode(200)
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Fetch an address again',
    description: 'Equal content changes nothing. When it fails, the content of the last success keeps answering.',
  })
  refresh(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
  ): Promise<SourceDto> {
    return this.sources.refresh(caller, knowledgeBaseId, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Remove an address and its document' })
  remove(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
  ): Promise<void> {
    return this.sources.remove(caller, knowledgeBaseId, id);
  }
}
