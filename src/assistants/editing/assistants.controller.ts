import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CurrentCaller, IfMatch, TagsVersion, toPageRequest } from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import { AssistantEditor } from './assistant-editor';
import { AssistantIdPipe } from '../access/assistant-id.pipe';
import { AssistantLookup, type Seen } from '../access/assistant-lookup';
import { AssistantPresenter } from './assistant-presenter';
import { AssistantDto, AssistantPageDto, AssistantQueryDto, PublicationDto, UpdateAssistantDto } from './assistant.dto';
import { CreateAssistantDto } from '../checks/validation.dto';
import { DefinitionParser } from './definition-parser';
import { AccessMigration } from '../rewriting/access-migration';

@ApiTags('Assistants')
@Controller('api/v1/assistants')
export class AssistantsController {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly parser: DefinitionParser,
    private readonly editor: AssistantEditor,
    private readonly presenter: AssistantPresenter,
    private readonly migration: AccessMigration,
  ) {}

  @Get()
  @Access({
    scope: 'read',
    summary: 'List the assistants that the caller may use',
    description: 'Newest first. Prompts and metadata are there for those who may edit; diagnostics are left out.',
  })
  async list(@CurrentCaller() caller: Caller, @Query() query: AssistantQueryDto): Promise<AssistantPageDto> {
    const filter = {
      mine: query.owner === 'me',
      ...(query.type === undefined ? {} : { type: query.type }),
      ...(query.q === undefined ? {} : { text: query.q }),
    };
    return this.presenter.page(caller, await this.lookup.page(caller, filter, toPageRequest(query)));
  }

  @Post()
  @TagsVersion()
  @Idempotent()
  @Access({ scope: 'write', role: 'teacher', summary: 'Make an assistant' })
  @ApiBody({ type: CreateAssistantDto })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssistantDto> {
    const seen = await this.editor.create(caller, await this.parser.toCreate(caller, body));
    response.location(`/api/v1/assistants/${seen.row.id}`);
    return this.presenter.one(caller, seen);
  }

  @Get(':id')
  @TagsVersion()
  @Access({ scope: 'read', summary: 'Read an assistant' })
  async get(@CurrentCaller() caller: Caller, @Param('id', AssistantIdPipe) id: number): Promise<AssistantDto> {
    return this.presenter.one(caller, await this.newest(caller, await this.lookup.seen(caller, id)));
  }

  @Patch(':id')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Change an assistant', description: 'Absent members stay.' })
  @ApiBody({ type: UpdateAssistantDto })
  async update(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Body() body: unknown,
    @IfMatch('demanded') expected: number | null,
  ): Promise<AssistantDto> {
    const input = await this.parser.toUpdate(caller, id, body);
    const saved = await this.editor.update(caller, id, input, expected);
    return this.presenter.one(caller, await this.newest(caller, saved));
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete an assistant' })
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @IfMatch('welcome') expected: number | null,
  ): Promise<void> {
    await this.editor.remove(caller, id, expected);
  }

  @Put(':id/publication')
  @TagsVersion()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Make a version live, for every member of the organization',
    description:
      'Everybody who may use the assistant gets this version until another one is published; later saves do not change ' +
      'it. Without a body: the newest version. Refused while a required choice of a tool is still empty, while the ' +
      'content of a tool has no slot in the template, and while tests do not pass where they must.',
  })
  async publish(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Body() { version = null, override_tests: override = null }: PublicationDto,
  ): Promise<AssistantDto> {
    return this.presenter.one(caller, await this.editor.publish(caller, id, version, override));
  }

  @Delete(':id/publication')
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Take back the publication' })
  async unpublish(@CurrentCaller() caller: Caller, @Param('id', AssistantIdPipe) id: number): Promise<AssistantDto> {
    return this.presenter.one(caller, await this.editor.unpublish(caller, id));
  }

  private async newest(caller: Caller, seen: Seen): Promise<Seen> {
    return (await this.migration.migrate(seen.row)) ? this.lookup.seen(caller, seen.row.id) : seen;
  }
}
