import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, notFound } from '../kernel';
import { Access, type BellwetherRequest, CurrentCaller, toPageRequest } from '../platform/http';
import { reportMarkdown } from '../runs';
import { RunAccess } from './run-access.service';
import { RunDto, RunPageDto, RunQueryDto } from './run.dto';
import { presentPage, presentRun } from './run-view';

/** Records of completions. They live in `runs`; who may read them is only known up here. */
@ApiTags('Runs')
@Controller('api/v1/runs')
export class RunsController {
  constructor(private readonly access: RunAccess) {}

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

  @Get(':id/report')
  @Access({
    scope: 'read',
    summary: 'What the run did: tools, results, sources, messages',
    description: 'For those who may edit the assistant. `Accept: text/markdown` gives Markdown, anything else JSON.',
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
    const { report } = await this.access.report(caller, id);
    if (report === null) throw notFound('Report');
    response.setHeader('Vary', 'Accept');
    if (request.accepts(['json', 'text/markdown']) === 'text/markdown') {
      response.type('text/markdown; charset=utf-8').send(reportMarkdown(report));
    } else response.json(report);
  }
}
