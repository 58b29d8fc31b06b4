import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CurrentCaller, PageQueryDto, toPageRequest } from '../../../src/infrastructure/http';
import { Idempotent } from '../../../src/infrastructure/idempotency';
import { presentComparison, presentItem, presentReplay } from './present-comparison';
import {
  ComparedItemsDto,
  ComparisonDto,
  ReplayDto,
  ReplayItemsQueryDto,
  ReplayPageDto,
  StartReplaysDto,
} from './what-if.dto';
import { type RunSelection, WhatIf } from './what-if.service';

const ITEMS = 20;

function selectionOf({ run_ids: ids, assistant_id: assistantId, from, to, last }: StartReplaysDto): RunSelection {
  const given = {
    assistantId,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
  };
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { filter, ...(ids === undefined ? {} : { ids }), ...(last === undefined ? {} : { last }) };
}

@ApiTags('Replays')
@Controller('api/v1/replays')
export class WhatIfController {
  constructor(private readonly whatIf: WhatIf) {}

  @Post()
  @HttpCode(202)
  @Idempotent()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Repeat many runs, and compare them',
    description:
      'For people who edit the assistants. The repetitions are background runs of the caller, under the same limits. ' +
      'Runs are given by `run_ids`, or as the newest ones that match. A run that cannot be repeated says why.',
  })
  @ApiAcceptedResponse({
    type: ReplayDto,
    headers: { Location: { description: 'Path of the comparison', schema: { type: 'string' } } },
  })
  async start(
    @CurrentCaller() caller: Caller,
    @Body() body: StartReplaysDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ReplayDto> {
    const { mode, changes = {}, leave_out_missing: leaveOutMissing = false } = body;
    const batch = await this.whatIf.start(caller, selectionOf(body), {
      mode,
      changes: { ...changes },
      leaveOutMissing,
    });
    response.setHeader('Location', `/api/v1/replays/${batch.id}`);
    return presentReplay(batch);
  }

  @Get()
  @Access({ scope: 'read', summary: 'Own comparisons, newest first' })
  async list(@CurrentCaller() caller: Caller, @Query() query: PageQueryDto): Promise<ReplayPageDto> {
    const page = await this.whatIf.list(caller, toPageRequest(query));
    return { ...page, items: page.items.map(presentReplay) };
  }

  @Get(':id')
  @Access({ scope: 'read', summary: 'One comparison: its state and its sums' })
  async get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ComparisonDto> {
    return presentComparison(await this.whatIf.compare(caller, id));
  }

  @Get(':id/items')
  @Access({ scope: 'read', summary: 'Runs of a comparison beside their repetitions' })
  async items(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { from = 0, limit = ITEMS }: ReplayItemsQueryDto,
  ): Promise<ComparedItemsDto> {
    const items = await this.whatIf.items(caller, id, from, limit + 1);
    return { items: items.slice(0, limit).map(presentItem), next: items.length > limit ? from + limit : null };
  }

  @Post(':id/cancel')
  @HttpCode(202)
  @Access({
    scope: 'write',
    summary: 'Cancel a comparison',
    description: 'Repetitions that have ended stay. Cancelling twice is no error.',
  })
  @ApiAcceptedResponse({ type: ReplayDto })
  async cancel(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ReplayDto> {
    return presentReplay(await this.whatIf.cancel(caller, id));
  }
}
