import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { attachment } from '../files';
import { Access, CurrentCaller, IfMatch, TagsVersion, toPageRequest, ForPeople } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import {
  RubricChangesDto,
  RubricDocumentDto,
  RubricDto,
  RubricListQueryDto,
  RubricPageDto,
  RubricRenderQueryDto,
  RubricVisibilityDto,
} from './rubric.dto';
import type { RubricView } from './rubric-document';
import { RubricsService } from './rubrics.service';

const bodyOf = (model: typeof RubricChangesDto | typeof RubricDocumentDto): object => ({
  allOf: [{ $ref: getSchemaPath(model) }],
  additionalProperties: true,
});

@ApiExtraModels(RubricChangesDto, RubricDocumentDto)
@ForPeople()
@Controller('api/v1/rubrics')
export class RubricsController {
  constructor(private readonly rubrics: RubricsService) {}

  @Post()
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Create a rubric' })
  @ApiBody({ schema: bodyOf(RubricDocumentDto) })
  @ApiCreatedResponse({ type: RubricDto })
  @Idempotent()
  create(@CurrentCaller() caller: Caller, @Body() document: object): Promise<RubricView> {
    return this.rubrics.create(caller, document);
  }

  @Post('import')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Import an exported rubric' })
  @ApiBody({ schema: bodyOf(RubricDocumentDto) })
  @ApiCreatedResponse({ type: RubricDto })
  @Idempotent()
  import(@CurrentCaller() caller: Caller, @Body() document: object): Promise<RubricView> {
    return this.rubrics.import(caller, document);
  }

  @Get()
  @Access({ scope: 'read', summary: 'List own rubrics and those of the organization, newest first' })
  @ApiOkResponse({ type: RubricPageDto })
  list(@CurrentCaller() caller: Caller, @Query() query: RubricListQueryDto): ReturnType<RubricsService['list']> {
    return this.rubrics.list(caller, toPageRequest(query), query);
  }

  @Get(':id')
  @TagsVersion()
  @Access({ scope: 'read', summary: 'Read a rubric' })
  @ApiOkResponse({ type: RubricDto })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<RubricView> {
    return this.rubrics.get(caller, id);
  }

  @Put(':id')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Replace a rubric' })
  @ApiBody({ schema: bodyOf(RubricDocumentDto) })
  @ApiOkResponse({ type: RubricDto })
  replace(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() document: object,
    @IfMatch('demanded') expected: number | null,
  ): Promise<RubricView> {
    return this.rubrics.replace(caller, id, document, expected);
  }

  @Patch(':id')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Replace some members of a rubric' })
  @ApiBody({ schema: bodyOf(RubricChangesDto) })
  @ApiOkResponse({ type: RubricDto })
  patch(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() changes: object,
    @IfMatch('demanded') expected: number | null,
  ): Promise<RubricView> {
    return this.rubrics.patch(caller, id, changes, expected);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete a rubric' })
  remove(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch('welcome') expected: number | null,
  ): Promise<void> {
    return this.rubrics.remove(caller, id, expected);
  }

  @Put(':id/visibility')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Show a rubric to the organization, or hide it' })
  @ApiOkResponse({ type: RubricDto })
  setVisibility(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { visibility }: RubricVisibilityDto,
  ): Promise<RubricView> {
    return this.rubrics.setVisibility(caller, id, visibility);
  }

  @Post(':id/duplicate')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Copy a rubric' })
  @ApiCreatedResponse({ type: RubricDto })
  @Idempotent()
  duplicate(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<RubricView> {
    return this.rubrics.duplicate(caller, id);
  }

  @Get(':id/export')
  @Access({ scope: 'read', summary: 'Download a rubric as JSON' })
  @ApiOkResponse({ type: RubricDocumentDto })
  async export(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const document = await this.rubrics.document(caller, id);
    response.setHeader('Content-Disposition', attachment(`${document.title.replaceAll('/', '-').slice(0, 100)}.json`));
    return document;
  }

  @Get(':id/render')
  @Access({ scope: 'read', summary: 'Render a rubric as a model reads it' })
  @ApiOkResponse({
    content: { 'text/markdown': { schema: { type: 'string' } }, 'application/json': { schema: { type: 'object' } } },
  })
  @Header('X-Content-Type-Options', 'nosniff')
  async render(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { format, for_evaluation }: RubricRenderQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    const text = await this.rubrics.render(caller, id, format, for_evaluation === 'true');
    response.type(format === 'json' ? 'application/json' : 'text/markdown').send(text);
  }
}
