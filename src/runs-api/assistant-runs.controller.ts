import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, type BellwetherRequest } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { assistantIdIn, chatBodySchema, BackgroundCompletions, callerOf } from '../answering';
import { AssistantsService } from '../assistants';
import { RunStateDto } from './run.dto';

@ApiTags('Runs')
@Controller('api/v1/assistants/:id/runs')
export class AssistantRunsController {
  constructor(
    private readonly background: BackgroundCompletions,
    private readonly assistants: AssistantsService,
  ) {}

  // Takes the plain request: the body is stored unchanged.
  @Post()
  @HttpCode(202)
  @Idempotent()
  @Access({
    scope: 'chat',
    summary: 'Complete a chat with this assistant in the background',
    description: 'Takes a completion’s body. The answer arrives as events of the run and is part of its record.',
  })
  @ApiParam({ name: 'id', type: 'integer' })
  @ApiBody({ schema: chatBodySchema(false) })
  @ApiAcceptedResponse({
    type: RunStateDto,
    headers: { Location: { description: 'Path of the run', schema: { type: 'string' } } },
  })
  async start(
    @Param('id') id: string,
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunStateDto> {
    const caller = callerOf(request);
    const assistant = await this.assistants.idHere(caller, assistantIdIn(id));
    const run = await this.background.start(caller, assistant, request.body);
    response.setHeader('Location', `/api/v1/runs/${run.id}`);
    response.setHeader('X-Run-Id', run.id);
    return { id: run.id, status: run.status };
  }
}
