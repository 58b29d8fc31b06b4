import type { Caller } from '@bellwether/kernel';
import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CurrentCaller } from '../../../src/infrastructure/http';
import { Idempotent } from '../../../src/infrastructure/idempotency';
import { ReplayedRunDto, ReplayRunDto } from './replay.dto';
import { RunReplays } from './run-replays.service';

@ApiTags('Runs')
@Controller('api/v1/runs')
export class RunReplaysController {
  constructor(private readonly replays: RunReplays) {}

  @Post(':id/replay')
  @HttpCode(202)
  @Idempotent()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Repeat a run',
    description:
      'For people who edit the assistant. With recorded results the model gets the same messages, byte for byte, and no ' +
      'tool is asked. The repetition is a background run of the caller, which statistics leave out. When something ' +
      'that the run used is gone, the refusal lists it and says what is left.',
  })
  @ApiAcceptedResponse({
    type: ReplayedRunDto,
    headers: { Location: { description: 'Path of the run', schema: { type: 'string' } } },
  })
  async replay(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { mode, changes = {}, leave_out_missing: leaveOutMissing = false }: ReplayRunDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ReplayedRunDto> {
    const run = await this.replays.start(caller, id, { mode, changes: { ...changes }, leaveOutMissing });
    response.setHeader('Location', `/api/v1/runs/${run.id}`);
    response.setHeader('X-Run-Id', run.id);
    return { run_id: run.id, status: run.status };
  }
}
