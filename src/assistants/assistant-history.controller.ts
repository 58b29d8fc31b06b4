import type { Caller } from '@bellwether/kernel';
import { Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, IfMatch, PageQueryDto, TagsVersion, toPageRequest } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { AssistantDto } from './editing/assistant.dto';
import { AssistantStatsDto, VersionDetailDto, VersionPageDto } from './history.dto';
import { AssistantEditor } from './editing/assistant-editor';
import { AssistantEditorGuard } from './access/assistant-editor.guard';
import { AssistantHistory } from './assistant-history';
import { AssistantIdPipe } from './access/assistant-id.pipe';
import { AssistantPresenter } from './editing/assistant-presenter';

@ApiTags('Assistants')
@Controller('api/v1/assistants/:id')
export class AssistantHistoryController {
  constructor(
    private readonly history: AssistantHistory,
    private readonly editor: AssistantEditor,
    private readonly presenter: AssistantPresenter,
  ) {}

  @Get('versions')
  @Access({ scope: 'read', summary: 'Saved versions, newest first' })
  versions(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Query() page: PageQueryDto,
  ): Promise<VersionPageDto> {
    return this.history.versions(caller, id, toPageRequest(page));
  }

  @Get('versions/:version')
  @Access({ scope: 'read', summary: 'One saved version' })
  version(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Param('version', AssistantIdPipe) version: number,
  ): Promise<VersionDetailDto> {
    return this.history.version(caller, id, version);
  }

  @Post('versions/:version/restore')
  @HttpCode(200)
  @UseGuards(AssistantEditorGuard)
  @Idempotent()
  @TagsVersion()
  @Access({ scope: 'write', role: 'teacher', summary: 'Save an old version as the newest' })
  async restore(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Param('version', AssistantIdPipe) version: number,
    @IfMatch('welcome') expected: number | null,
  ): Promise<AssistantDto> {
    return this.presenter.one(caller, await this.editor.restore(caller, id, version, expected));
  }

  @Get('stats')
  @Access({ scope: 'read', summary: 'Runs, failures, times, tools and tokens' })
  async stats(@CurrentCaller() caller: Caller, @Param('id', AssistantIdPipe) id: number): Promise<AssistantStatsDto> {
    const { tools, ...figures } = await this.history.stats(caller, id);
    return { ...figures, tools: [...tools] };
  }
}
