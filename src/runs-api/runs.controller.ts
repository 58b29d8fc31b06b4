import { type Caller, invalid } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { BackgroundCompletions, callerOf, draftBodySchema } from '../answering';
import { UpdateAssistantDto } from '../assistants';
import { Access, type BellwetherRequest, CurrentCaller, toPageRequest } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { type RunFilter, reportMarkdown, shapeReport } from '../runs';
import { RunAccess } from './run-access.service';
import { RunUsers } from './run-users.service';
import { RunEventStreams } from './run-event-streams.service';
import { presentPage, presentRun } from './run-view';
import {
  DraftRunDto,
  RateRunDto,
  RunDto,
  RunEventsQueryDto,
  RunPageDto,
  RunPassagesDto,
  RunQueryDto,
  RunRatingDto,
  RunStateDto,
} from './run.dto';

const SEQ = /^\d{1,9}$/;

/** Parses `Last-Event-ID`; undefined without the header. @throws `validation_failed` */
export function lastSeenOf(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && SEQ.test(header)) return Number(header);
  throw invalid([{ path: 'Last-Event-ID', message: 'must be the id of an event of this run' }]);
}

function filterOf({ assistant_id, status, problems, from, to, user_id, rating, q }: RunQueryDto): RunFilter {
  const given = {
    assistantId: assistant_id,
    status,
    hasProblems: problems === undefined ? undefined : problems === 'true',
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    userId: user_id,
    rating,
    question: q?.trim() === '' ? undefined : q?.trim(),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Routes of runs. `RunAccess` decides who may read them. */
@ApiTags('Runs')
@Controller('api/v1/runs')
export class RunsController {
  constructor(
    private readonly access: RunAccess,
    private readonly streams: RunEventStreams,
    private readonly background: BackgroundCompletions,
    private readonly people: RunUsers,
  ) {}

  @Get()
  @Access({ scope: 'read', summary: 'Runs that the caller may see, newest first' })
  async list(@CurrentCaller() caller: Caller, @Query() query: RunQueryDto): Promise<RunPageDto> {
    const { user_id: userId } = query;
    if (userId !== undefined && !(await this.people.canFilterBy(caller, userId))) {
      return { items: [], next_cursor: null, looked_back_to: null, total: 0 };
    }
    const page = await this.access.list(caller, filterOf(query), toPageRequest(query));
    return presentPage(page, await this.people.of(caller, page.items));
  }

  // Takes the plain request: the body is stored unchanged.
  @Post()
  @HttpCode(202)
  @Idempotent()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Run a definition that is not saved, in the background',
    description:
      'For people who may make assistants; with `assistant_id`, for editors of that assistant. The definition is the ' +
      'body of a new assistant and is checked like one; its name may be absent. The other members are those of a ' +
      'completion. Nothing is saved but the run, which statistics leave out. Also needs the scope `chat`.',
  })
  @ApiExtraModels(UpdateAssistantDto)
  @ApiBody({ schema: draftBodySchema({ $ref: getSchemaPath(UpdateAssistantDto) }) })
  @ApiAcceptedResponse({
    type: DraftRunDto,
    headers: { Location: { description: 'Path of the run', schema: { type: 'string' } } },
  })
  async startDraft(
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DraftRunDto> {
    const run = await this.background.startDraft(callerOf(request), request.body);
    response.setHeader('Location', `/api/v1/runs/${run.id}`);
    response.setHeader('X-Run-Id', run.id);
    return { run_id: run.id, status: run.status };
  }

  @Get(':id')
  @Access({ scope: 'read', summary: 'One run' })
  async get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<RunDto> {
    const run = await this.access.find(caller, id);
    return presentRun(run, (await this.people.of(caller, [run.record])).get(run.record.userId) ?? null);
  }

  @Get(':id/events')
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
    @Res() response: Response,
  ): Promise<void> {
    const after = lastSeenOf(request.headers['last-event-id']) ?? query.after ?? 0;
    await this.streams.send(caller, id, after, response);
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

  @Put(':id/rating')
  @Access({ scope: 'chat', summary: 'Rate the answer', description: 'For its asker only. Another rating replaces it.' })
  async rate(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { value, reason = '' }: RateRunDto,
  ): Promise<RunRatingDto> {
    const rating = { value, reason: reason.trim() === '' ? null : reason.trim() };
    await this.access.rate(caller, id, rating);
    return rating;
  }

  @Delete(':id/rating')
  @HttpCode(204)
  @Access({ scope: 'chat', summary: 'Remove your own rating', description: 'For the asker only.' })
  async unrate(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.access.rate(caller, id, null);
  }

  @Get(':id/passages')
  @Access({
    scope: 'chat',
    summary: 'Passages that the tools of the run found',
    description:
      'The texts behind the numbers of an answer, in the order of the sources. An owner can hide the passages of a ' +
      'knowledge base (`passages_shown`). Without the scope `read`, own runs only.',
  })
  async passages(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<RunPassagesDto> {
    await this.access.reach(caller, id);
    return { items: [...(await this.access.passages(caller, id))] };
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
      response.type('text/markdown; charset=utf-8').send(reportMarkdown(shapeReport(report, [])));
    } else response.json(report);
  }
}
