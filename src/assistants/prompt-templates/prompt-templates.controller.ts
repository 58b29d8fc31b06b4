import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Access,
  CurrentCaller,
  IfMatch,
  PageQueryDto,
  TagsVersion,
  toPageRequest,
  ForPeople,
} from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import {
  CreatePromptTemplateDto,
  PromptTemplateDto,
  PromptTemplatePageDto,
  PromptTemplateQueryDto,
  SharePromptTemplateDto,
  UpdatePromptTemplateDto,
} from './prompt-template.dto';
import { PromptTemplatesService } from './prompt-templates.service';

@ApiTags('Prompt templates')
@ForPeople()
@Controller('api/v1/prompt-templates')
export class PromptTemplatesController {
  constructor(private readonly templates: PromptTemplatesService) {}

  @Get()
  @Access({ scope: 'read', role: 'teacher', summary: 'Own and shared prompt templates, newest first' })
  list(@CurrentCaller() caller: Caller, @Query() query: PromptTemplateQueryDto): Promise<PromptTemplatePageDto> {
    return this.templates.list(caller, query, toPageRequest(query));
  }

  @Get('starters')
  @Access({ scope: 'read', role: 'teacher', summary: 'Built-in starters for both types of assistants' })
  starters(@Query() page: PageQueryDto): PromptTemplatePageDto {
    return this.templates.starters(toPageRequest(page));
  }

  @Post()
  @TagsVersion()
  @Idempotent()
  @Access({ scope: 'write', role: 'teacher', summary: 'Make a prompt template' })
  create(@CurrentCaller() caller: Caller, @Body() body: CreatePromptTemplateDto): Promise<PromptTemplateDto> {
    return this.templates.create(caller, body);
  }

  @Get(':id')
  @TagsVersion()
  @Access({ scope: 'read', role: 'teacher', summary: 'Read a prompt template' })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<PromptTemplateDto> {
    return this.templates.get(caller, id);
  }

  @Patch(':id')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Change a prompt template', description: 'Absent members stay.' })
  update(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: UpdatePromptTemplateDto,
    @IfMatch('demanded') expected: number | null,
  ): Promise<PromptTemplateDto> {
    return this.templates.update(caller, id, body, expected);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete a prompt template' })
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch('welcome') expected: number | null,
  ): Promise<void> {
    await this.templates.remove(caller, id, expected);
  }

  @Post(':id/duplicate')
  @TagsVersion()
  @Idempotent()
  @Access({ scope: 'write', role: 'teacher', summary: 'Make a private copy, also of a starter' })
  duplicate(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<PromptTemplateDto> {
    return this.templates.duplicate(caller, id);
  }

  @Put(':id/share')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Share with the organization, or take it back' })
  share(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { shared }: SharePromptTemplateDto,
  ): Promise<PromptTemplateDto> {
    return this.templates.share(caller, id, shared);
  }
}
