import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../kernel';
import { Access, clientAbortSignal, CurrentCaller, toPageRequest } from '../platform/http';
import { Idempotent } from '../platform/idempotency';
import {
  CreateKnowledgeBaseDto,
  KnowledgeBaseDto,
  KnowledgeBaseListQueryDto,
  KnowledgeBasePageDto,
  QueryAnswerDto,
  QueryKnowledgeBaseDto,
  KnowledgeBaseSharesDto,
  ShareWithDto,
  UpdateKnowledgeBaseDto,
} from './knowledge-base.dto';
import { KnowledgeBasesService } from './knowledge-bases.service';

@Controller('api/v1/knowledge-bases')
export class KnowledgeBasesController {
  constructor(private readonly knowledgeBases: KnowledgeBasesService) {}

  @Post()
  @Access({ scope: 'write', role: 'teacher', summary: 'Create a knowledge base' })
  @Idempotent()
  create(@CurrentCaller() caller: Caller, @Body() body: CreateKnowledgeBaseDto): Promise<KnowledgeBaseDto> {
    return this.knowledgeBases.create(caller, body);
  }

  @Get()
  @Access({ scope: 'read', summary: 'List knowledge bases one may read, newest first' })
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: KnowledgeBaseListQueryDto,
  ): Promise<KnowledgeBasePageDto> {
    const { items, ...rest } = await this.knowledgeBases.list(caller, toPageRequest(query), {
      ...(query.q === undefined ? {} : { text: query.q }),
      ownOnly: query.owner === 'me',
    });
    return { ...rest, items: [...items] };
  }

  @Get(':id')
  @Access({ scope: 'read', summary: 'Read a knowledge base' })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<KnowledgeBaseDto> {
    return this.knowledgeBases.get(caller, id);
  }

  @Patch(':id')
  @Access({ scope: 'write', role: 'teacher', summary: 'Change a knowledge base' })
  update(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: UpdateKnowledgeBaseDto,
  ): Promise<KnowledgeBaseDto> {
    return this.knowledgeBases.update(caller, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete a knowledge base with its documents' })
  remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    return this.knowledgeBases.remove(caller, id);
  }

  @Get(':id/shares')
  @Access({ scope: 'read', role: 'teacher', summary: 'List the users a knowledge base is shared with' })
  async shares(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<KnowledgeBaseSharesDto> {
    return { users: await this.knowledgeBases.shares(caller, id) };
  }

  @Put(':id/shares')
  @Access({ scope: 'write', role: 'teacher', summary: 'Share a knowledge base with users' })
  async share(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { users }: ShareWithDto,
  ): Promise<KnowledgeBaseSharesDto> {
    return { users: await this.knowledgeBases.share(caller, id, users) };
  }

  @Post(':id/query')
  @HttpCode(200)
  @Access({ scope: 'read', summary: 'Find passages in a knowledge base' })
  async query(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { query, top_k, threshold, mode }: QueryKnowledgeBaseDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<QueryAnswerDto> {
    const started = performance.now();
    const signal = clientAbortSignal(response);
    const wish = mode === undefined ? {} : { mode };
    const passages = await this.knowledgeBases.query(caller, id, {
      text: query,
      topK: top_k,
      threshold,
      signal,
      ...wish,
    });
    return {
      results: passages.map(({ similarity, text, metadata }) => ({ similarity, data: text, metadata })),
      count: passages.length,
      mode: 'keyword',
      timing: { total_ms: Math.round((performance.now() - started) * 100) / 100 },
    };
  }
}
