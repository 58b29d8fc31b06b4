import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Caller } from '../../kernel';
import { Access, clientAbortSignal, CurrentCaller } from '../../infrastructure/http';
import { assistantIdIn } from '../../answering';
import { PlanDto, PlanningFiguresDto, PlanQuestionDto } from './assistant-plan.dto';
import { AssistantPlans } from './assistant-plans.service';
import { presentPlan } from './present-plan';

@ApiTags('Assistants')
@ApiParam({ name: 'id', type: 'integer' })
@Controller('api/v1/assistants/:id')
export class AssistantPlansController {
  constructor(private readonly plans: AssistantPlans) {}

  @Post('plan')
  @HttpCode(200)
  @Access({
    scope: 'read',
    summary: 'Plan which tools a question needs, without running them',
    description: 'As the strategy `planned` would, for editors of the assistant. A planning model may be asked.',
  })
  @ApiOkResponse({ type: PlanDto })
  async plan(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { query }: PlanQuestionDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PlanDto> {
    return presentPlan(await this.plans.plan(caller, assistantIdIn(id), query, clientAbortSignal(response)));
  }

  @Get('planning')
  @Access({
    scope: 'read',
    summary: 'Outcomes of earlier plans',
    description: 'By class of question and combination of tools, and of both arms of an experiment.',
  })
  @ApiOkResponse({ type: PlanningFiguresDto })
  figures(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<PlanningFiguresDto> {
    return this.plans.figures(caller, assistantIdIn(id));
  }
}
