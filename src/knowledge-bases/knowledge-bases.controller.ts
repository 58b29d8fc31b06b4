import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, IfMatch, TagsVersion, toPageRequest, ForPeople } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import {
  CreateKnowledgeBaseDto,
  KnowledgeBaseDto,
  KnowledgeBaseListQueryDto,
  KnowledgeBasePageDto,
  KnowledgeBaseSharesDto,
  ShareWithDto,
  UpdateKnowledgeBaseDto,
} from './knowledge-base.dto';
import { KnowledgeBasesService } from './knowledge-bases.service';

@ApiTags('Knowledge bases')
@ForPeople()
@Controller('api/v1/knowledge-bases')
export class KnowledgeBasesController {
  constructor(private readonly knowledgeBases: KnowledgeBasesService) {}

  @Post()
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Create a knowledge base' })
  @Idempotent()
  create(@CurrentCaller() caller: Caller, @Body() body: CreateKnowledgeBaseDto): Promise<KnowledgeBaseDto> {
    return this.knowledgeBases.create(caller, body);
  }

  @Get()
  @Access({ scope: 'read', summary: 'List knowledge bases one may read, newest first' })
  list(@CurrentCaller() caller: Caller, @Query() query: KnowledgeBaseListQueryDto): Promise<KnowledgeBasePageDto> {
    return this.knowledgeBases.list(caller, toPageRequest(query), query);
  }

  @Get(':id')
  @TagsVersion()
  @Access({ scope: 'read', summary: 'Read a knowledge base' })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<KnowledgeBaseDto> {
    return this.knowledgeBases.get(caller, id);
  }

  @Patch(':id')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Change a knowledge base' })
  update(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: UpdateKnowledgeBaseDto,
    @IfMatch('demanded') expected: number | null,
  ): Promise<KnowledgeBaseDto> {
    return this.knowledgeBases.update(caller, id, body, expected);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete a knowledge base with its documents' })
  remove(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch('welcome') expected: number | null,
  ): Promise<void> {
    return this.knowledgeBases.remove(caller, id, expected);
  }

  @Get(':id/shares')
  @Access({ scope: 'read', role: 'teacher', summary: 'List the users and groups a knowledge base is shared with' })
  shares(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<KnowledgeBaseSharesDto> {
    return this.knowledgeBases.shares(caller, id);
  }

  @Put(':id/shares')
  @Access({ scope: 'write', role: 'teacher', summary: 'Share a knowledge base with users and groups' })
  share(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: ShareWithDto,
  ): Promise<KnowledgeBaseSharesDto> {
    return this.knowledgeBases.share(caller, id, body);
  }
}
