import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Caller, Page } from '../kernel';
import { Access, CurrentCaller, toPageRequest } from '../platform/http';
import { Idempotent } from '../platform/idempotency';
import { AssistantDto, AssistantPageDto } from './assistant-answer.dto';
import { AssistantEditor } from './assistant-editor';
import { AssistantIdPipe } from './assistant-id.pipe';
import { AssistantLookup, type Seen } from './assistant-lookup';
import { AssistantPresenter, type AssistantView } from './assistant-presenter';
import { AssistantQueryDto, CreateAssistantDto, UpdateAssistantDto } from './assistant.dto';
import { DefinitionBodies } from './definition-bodies';
import { expectedVersion } from './if-match';
import { AccessMigration } from './rewriting/access-migration';

const IF_MATCH = ApiHeader({
  name: 'if-match',
  required: false,
  description: 'Version that the change is based on, e.g. `"3"`. Browser sessions must send it.',
});

@ApiTags('Assistants')
@Controller('api/v1/assistants')
export class AssistantsController {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly bodies: DefinitionBodies,
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
  @ApiOkResponse({ type: AssistantPageDto })
  async list(@CurrentCaller() caller: Caller, @Query() query: AssistantQueryDto): Promise<Page<AssistantView>> {
    const filter = {
      mine: query.owner === 'me',
      ...(query.type === undefined ? {} : { type: query.type }),
      ...(query.q === undefined ? {} : { text: query.q }),
    };
    return this.presenter.page(caller, await this.lookup.page(caller, filter, toPageRequest(query)));
  }

  @Post()
  @Idempotent()
  @Access({ scope: 'write', role: 'teacher', summary: 'Make an assistant' })
  @ApiBody({ type: CreateAssistantDto })
  @ApiCreatedResponse({ type: AssistantDto })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssistantView> {
    const seen = await this.editor.create(caller, await this.bodies.toCreate(caller, body));
    response.location(`/api/v1/assistants/${seen.row.id}`);
    return this.answer(caller, seen, response);
  }

  @Get(':id')
  @Access({ scope: 'read', summary: 'Read an assistant' })
  @ApiOkResponse({ type: AssistantDto })
  async get(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssistantView> {
    return this.answer(caller, await this.newest(caller, await this.lookup.seen(caller, id)), response);
  }

  @Patch(':id')
  @IF_MATCH
  @Access({ scope: 'write', role: 'teacher', summary: 'Change an assistant', description: 'Absent members stay.' })
  @ApiBody({ type: UpdateAssistantDto })
  @ApiOkResponse({ type: AssistantDto })
  async update(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
    @Headers('if-match') ifMatch?: string,
  ): Promise<AssistantView> {
    const expected = expectedVersion(caller, ifMatch);
    const input = await this.bodies.toUpdate(caller, id, body);
    const saved = await this.editor.update(caller, id, input, expected);
    return this.answer(caller, await this.newest(caller, saved), response);
  }

  @Delete(':id')
  @HttpCode(204)
  @IF_MATCH
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete an assistant' })
  @ApiNoContentResponse()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    await this.editor.remove(caller, id, ifMatch === undefined ? null : expectedVersion(caller, ifMatch));
  }

  @Put(':id/publication')
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Publish to every member of the organization',
    description: 'Refused while a required choice of a tool is still empty.',
  })
  @ApiOkResponse({ type: AssistantDto })
  async publish(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssistantView> {
    return this.answer(caller, await this.editor.publish(caller, id, true), response);
  }

  @Delete(':id/publication')
  @Access({ scope: 'write', role: 'teacher', summary: 'Take back the publication' })
  @ApiOkResponse({ type: AssistantDto })
  async unpublish(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssistantView> {
    return this.answer(caller, await this.editor.publish(caller, id, false), response);
  }

  private async newest(caller: Caller, seen: Seen): Promise<Seen> {
    return (await this.migration.migrate(seen.row)) ? this.lookup.seen(caller, seen.row.id) : seen;
  }

  /** The tag names the version of the definition; the answer also depends on the caller, so it is never cached. */
  private answer(caller: Caller, seen: Seen, response: Response): Promise<AssistantView> {
    response.set({ etag: `"${seen.row.version}"`, 'cache-control': 'no-store' });
    return this.presenter.one(caller, seen);
  }
}
