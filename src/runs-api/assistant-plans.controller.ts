import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { assistantIdIn } from '../answering';
import { Access, CurrentCaller, clientAbortSignal } from '../infrastructure/http';
import type { PlanStep, PlannedFallback, ToolPlan } from '../orchestrators/planning';
import {
  PlanDto,
  type PlanFallbackDto,
  PlanQuestionDto,
  type PlanStepDto,
  PlanningFiguresDto,
} from './assistant-plan.dto';
import { AssistantPlans } from './assistant-plans.service';

/** The settings of the author's tools are not part of the answer. */
function presentPlan(plan: ToolPlan): PlanDto {
  const { id, planner, cached, query_class, decomposition, steps, stages, reasoning, confidence, warnings } = plan;
  const { estimated_duration_ms, estimated_cost, planning_ms } = plan;
  return {
    id,
    planner,
    cached,
    query_class,
    decomposition: {
      ...decomposition,
      sub_queries: decomposition.sub_queries.map((part) => ({ ...part, dependencies: [...part.dependencies] })),
    },
    steps: steps.map(presentStep),
    stages: stages.map((stage) => [...stage]),
    reasoning,
    confidence,
    estimated_duration_ms,
    estimated_cost,
    warnings: [...warnings],
    planning_ms: Math.round(planning_ms * 10) / 10,
  };
}

const presentStep = ({ query, config, dependencies, fallback, ...step }: PlanStep): PlanStepDto => ({
  ...step,
  parameters: { query, ...config },
  dependencies: [...dependencies],
  fallback: fallback === null ? null : presentFallback(fallback),
});

const presentFallback = ({ plugin, placeholder, condition, threshold }: PlannedFallback): PlanFallbackDto => ({
  tool: plugin,
  placeholder,
  condition,
  threshold,
});

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
  figures(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<PlanningFiguresDto> {
    return this.plans.figures(caller, assistantIdIn(id));
  }
}
