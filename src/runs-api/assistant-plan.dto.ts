import { Fraction } from '../infrastructure/http';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { ApiProperty } from '@nestjs/swagger';
import { PLANNERS, type PlannerName } from '../orchestrators/planning';

const QUESTION_CHARS = 16_000;

export class PlanQuestionDto {
  /** The question to plan for. */
  @ApiProperty({ example: 'How do mitosis and meiosis differ?' })
  @IsString()
  @MinLength(1)
  @MaxLength(QUESTION_CHARS)
  query!: string;
}

export class SubQueryDto {
  id!: string;
  text!: string;
  /** Ids of sub-queries whose answers this one needs. */
  dependencies!: string[];
}

export class DecompositionDto {
  @ApiProperty({ example: 'comparison' })
  type!: string;
  sub_queries!: SubQueryDto[];
  /** 0..1 */
  @Fraction() confidence!: number;
}

export class PlanFallbackDto {
  tool!: string;
  /** Placeholder of the tool that runs instead; null for the fallback of the tool's own entry. */
  placeholder!: string | null;
  condition!: 'on_error' | 'on_low_confidence';
  @Fraction() threshold!: number;
}

export class PlanStepDto {
  id!: string;
  /** Name of the tool. */
  tool!: string;
  /** Position of the tool in the assistant's `tools`, from 0. */
  index!: number;
  placeholder!: string | null;
  /** `query`, and `top_k` or `threshold` where the plan sets them. */
  @ApiProperty({ additionalProperties: true, example: { query: 'mitosis', top_k: 3 } })
  parameters!: Record<string, unknown>;
  /** Ids of the steps whose results the step sees. */
  dependencies!: string[];
  execution_mode!: 'parallel' | 'sequential';
  timeout_ms!: number;
  fallback!: PlanFallbackDto | null;
}

/** The plan for a question. */
export class PlanDto {
  id!: string;
  @ApiProperty({ enum: PLANNERS })
  planner!: PlannerName;
  /** True for a plan that was made for a similar question. */
  cached!: boolean;
  /** Class of the question. Outcomes of earlier plans count for questions of the same class. */
  @ApiProperty({ example: 'comparison/context' })
  query_class!: string;
  decomposition!: DecompositionDto;
  steps!: PlanStepDto[];
  /** Ids of steps. A stage depends on earlier stages only; a step starts when its own dependencies are done. */
  @ApiProperty({ type: 'array', items: { type: 'array', items: { type: 'string' } } })
  stages!: string[][];
  reasoning!: string;
  /** 0..1 */
  @Fraction() confidence!: number;
  estimated_duration_ms!: number;
  /** Tokens. */
  estimated_cost!: number;
  warnings!: string[];
  @Fraction() planning_ms!: number;
}

export class PlanFiguresDto {
  plans!: number;
  steps!: number;
  failed_steps!: number;
  /** Average of the tools' time, from the first start to the last end; null without plans. */
  @Fraction() avg_ms!: number | null;
  @Fraction() avg_planning_ms!: number | null;
  /** Average of the results that state a confidence; null without any. */
  @Fraction() confidence!: number | null;
  /** Average per plan, of the tools and the planning. */
  @Fraction() avg_tokens!: number | null;
}

export class PlanClassDto extends PlanFiguresDto {
  query_class!: string;
  /** Placeholders of the executed tools. */
  tools!: string[];
}

export class PlanArmDto extends PlanFiguresDto {
  /** `a`: the assistant's own planner. `b`: the planner of the comparison. */
  arm!: 'a' | 'b';
  /** The planner of these plans: `heuristic` also replaces a model that fails. */
  planner!: string;
}

export class PlanningFiguresDto {
  /** Days that the figures cover. */
  days!: number;
  /** Figures by class of question and combination of tools, the most frequent first, at most 200. */
  combinations!: PlanClassDto[];
  /** Arms of the experiment that `orchestrator_options` describe; empty when none ran. */
  experiment!: PlanArmDto[];
}
