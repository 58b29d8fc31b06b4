import { Controller, Get, HttpCode, type MessageEvent, Param, Post, Query, Req, Res, Sse } from '@nestjs/common';
import { ApiAcceptedResponse, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import type { Caller } from '../kernel';
import { Access, type BellwetherRequest, CurrentCaller, toPageRequest } from '../platform/http';
import { reportMarkdown } from '../runs';
import { RunAccess } from './access/run-access.service';
import { RunEventStreams } from './events/run-event-streams.service';
import { lastSeenOf } from './events/run-position';
import { RunDto, RunEventsQueryDto, RunPageDto, RunQueryDto, RunStateDto } from './run.dto';
import { presentPage, presentRun } from './run-view';

/** One batch at most waits for a reader; it may hold all events of a run. */
const MOST_PENDING_CHARS = 64 * 1_024 * 1_024;

/** Routes of runs. `RunAccess` decides who may read them. */
@ApiTags('Runs')
@Controller('api/v1/runs')
export class RunsController {
  constructor(
    private readonly access: RunAccess,
    private readonly streams: RunEventStreams,
  ) {}

  @Get()
  @Access({ scope: 'read', summary: 'Runs that the caller may see, newest first' })
  @ApiOkResponse({ type: RunPageDto })
  async list(@CurrentCaller() caller: Caller, @Query() query: RunQueryDto): Promise<RunPageDto> {
    const filter = {
      ...(query.assistant_id === undefined ? {} : { assistantId: query.assistant_id }),
      ...(query.status === undefined ? {} : { status: query.status }),
    };
    return presentPage(await this.access.list(caller, filter, toPageRequest(query)));
  }

  @Get(':id')
  @Access({ scope: 'read', summary: 'One run' })
  @ApiOkResponse({ type: RunDto })
  async get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<RunDto> {
    return presentRun(await this.access.find(caller, id));
  }

  @Sse(':id/events', { maxPendingDataLength: MOST_PENDING_CHARS })
  @Access({
    scope: 'chat',
    summary: 'Events of the run, as server-sent events',
    description:
      'Replays the events after the given one and goes on until the run has ended; leaving does not end the run. ' +
      'An event has the same bytes every time (docs/reference/events.md). Without the scope `read`, own runs only.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'As `after`; wins when both are given' })
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  @ApiNoContentResponse({ description: 'The run has ended, and no event follows the given one' })
  async events(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: RunEventsQueryDto,
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const after = lastSeenOf(request.headers['last-event-id']) ?? query.after ?? 0;
    return this.streams.open(caller, id, after, response);
  }

  @Post(':id/cancel')
  @HttpCode(202)
  @Access({
    scope: 'chat',
    summary: 'Cancel the run',
    description:
      'For the asker, editors of the assistant, and administrators. A queued run has ended when this answers; a running ' +
      'one ends within moments. Repeating is no error. A run that ended otherwise is refused.',
  })
  @ApiAcceptedResponse({ type: RunStateDto })
  async cancel(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<RunStateDto> {
    const { status } = await this.access.cancel(caller, id);
    return { id, status };
  }

  @Get(':id/report')
  @Access({
    scope: 'read',
    summary: 'Report of the run: tools, results, sources, messages',
    description:
      'Editors of the assistant get all of it; the asker gets names, durations and outcomes. ' +
      '`Accept: text/markdown` gives Markdown, anything else JSON.',
  })
  @ApiOkResponse({
    content: {
      'application/json': { schema: { type: 'object', additionalProperties: true } },
      'text/markdown': { schema: { type: 'string' } },
    },
  })
  async report(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    const report = await this.access.report(caller, id);
    response.setHeader('Vary', 'Accept');
    if (request.accepts(['json', 'text/markdown']) === 'text/markdown') {
      response.type('text/markdown; charset=utf-8').send(reportMarkdown(report));
    } else response.json(report);
  }
}
