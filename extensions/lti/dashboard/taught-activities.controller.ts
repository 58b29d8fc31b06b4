import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, ParseIntPipe, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  Access,
  CurrentCaller,
  IfMatch,
  PageQueryDto,
  TagsVersion,
  clientAbortSignal,
  toPageRequest,
} from '../../../src/infrastructure/http';
import { ActivitySettingsEditor } from './activity-settings.service';
import { AssistantTrials } from './assistant-trials.service';
import {
  AssistantTrialAnswerDto,
  AssistantTrialDto,
  OfferedAssistantsDto,
  ReadWholeConversationDto,
  ReadableConversationPageDto,
  TaughtActivityDto,
  UpdateActivityDto,
} from './course.dto';
import { ReadableConversations } from './readable-conversations.service';
import { TaughtCourses } from './taught-courses.service';

/** Activities for instructors of their course. */
@ApiTags('LTI')
@Controller('api/v1/lti/activities/:id')
export class TaughtActivitiesController {
  constructor(
    private readonly courses: TaughtCourses,
    private readonly editor: ActivitySettingsEditor,
    private readonly conversations: ReadableConversations,
    private readonly trials: AssistantTrials,
  ) {}

  @Patch()
  @TagsVersion()
  @Access({
    scope: 'chat',
    summary: 'Change an activity of a course that you teach',
    description: 'Absent members stay. Obeyed within five seconds by every replica.',
  })
  update(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: UpdateActivityDto,
    @IfMatch('demanded') expected: number | null,
  ): Promise<TaughtActivityDto> {
    return this.editor.update(caller, id, body, expected);
  }

  @Get('assistants')
  @Access({ scope: 'chat', summary: 'Published assistants that you may put into an activity' })
  offered(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<OfferedAssistantsDto> {
    return this.courses.offered(caller, id);
  }

  @Put('assistants/:assistant/publication')
  @Access({
    scope: 'chat',
    summary: 'Publish an assistant of an activity',
    description: 'Needs the role teacher and an assistant of your own. Its newest version becomes live.',
  })
  publish(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('assistant', ParseIntPipe) assistant: number,
  ): Promise<TaughtActivityDto> {
    return this.courses.publish(caller, id, assistant);
  }

  @Post('trials')
  @HttpCode(200)
  @Access({
    scope: 'chat',
    summary: 'Try an assistant of an activity',
    description: 'The question is kept in no conversation. `instruction` tries an assessment window before it begins.',
  })
  ask(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: AssistantTrialDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssistantTrialAnswerDto> {
    return this.trials.ask(caller, id, body, clientAbortSignal(response));
  }

  @Get('conversations')
  @Access({
    scope: 'chat',
    summary: 'Conversations of students who agreed, the last changed first',
    description: 'Without names in an anonymous activity. Reading is in the audit log.',
  })
  list(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() page: PageQueryDto,
  ): Promise<ReadableConversationPageDto> {
    return this.conversations.list(caller, id, toPageRequest(page));
  }

  @Get('conversations/:conversation')
  @Access({ scope: 'chat', summary: 'A conversation of a student who agreed, from the agreement on' })
  read(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('conversation') conversation: string,
  ): Promise<ReadWholeConversationDto> {
    return this.conversations.read(caller, id, conversation);
  }
}
