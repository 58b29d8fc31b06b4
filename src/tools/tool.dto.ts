import { ApiProperty } from '@nestjs/swagger';
import { MayBeOmitted, OneOf, Text, Fraction } from '../infrastructure/http';
import { type DisplayTexts, EVIDENCE, type Evidence, TOOL_ROLES, type ToolRole } from './contract';

const TOOL_KINDS = ['pipeline', 'function'] as const;

export class ToolKindDto {
  /** `pipeline`: runs before the model and fills a placeholder. `function`: the model calls it. */
  @MayBeOmitted() @OneOf(TOOL_KINDS) kind?: (typeof TOOL_KINDS)[number];
}

export class ToolQueryDto extends ToolKindDto {
  /** Only tools that have this capability, such as `retrieval`. */
  @MayBeOmitted() @Text(64) capability?: string;
}

export class ToolExampleDto {
  query!: string;
  parameters!: Record<string, unknown>;
  expected_result!: string;
}

export class ToolCostDto {
  @ApiProperty({ enum: ['none', 'tokens', 'request'] }) unit!: 'none' | 'tokens' | 'request';
  estimate!: number;
}

/** Figures over the tool's calls in the caller's organization, the last 30 days; null as long as nothing was counted. */
export class ToolStatsDto {
  /** Calls that ran: those answered from kept results are not among them. */
  calls!: number | null;
  /** 0 to 1, retries having been in vain. */
  @Fraction() failure_rate!: number | null;
  /** Milliseconds of tries that succeeded. */
  @Fraction() avg_ms!: number | null;
  @Fraction() p95_ms!: number | null;
  /** Average of the results that state one, 0 to 1. */
  @Fraction() confidence!: number | null;
}

export class ToolDto {
  name!: string;
  display_name!: string;
  description!: string;
  /** `{language: {name, about}}` in `en`, `es`, `ca`, `eu`; may lack any of them. */
  @ApiProperty({
    additionalProperties: {
      type: 'object',
      properties: { name: { type: 'string' }, about: { type: 'string' } },
      required: ['name', 'about'],
    },
  })
  texts!: DisplayTexts;
  /** Type of the placeholder that the tool fills, `context` in `{1_context}`; null when it fills none. */
  placeholder!: string | null;
  category!: string;
  /** Decides when a planner runs the tool. */
  @ApiProperty({ enum: TOOL_ROLES })
  role!: ToolRole;
  /** `found`: statements can be checked against its results. `derived`: it rewrites earlier results. `none`: it judges. */
  @ApiProperty({ enum: EVIDENCE })
  evidence!: Evidence;
  version!: string;
  /** JSON Schema of the tool's `config`. */
  config_schema!: Record<string, unknown>;
  kind!: 'pipeline' | 'function';
  /** Name of a function that the model always calls by the same name. */
  function_name?: string;
  /** Name of a lucide icon; a client that does not know it draws a general one. */
  icon!: string;
  allow_multiple!: boolean;
  parameters!: Record<string, unknown>;
  examples!: ToolExampleDto[];
  capabilities!: string[];
  limitations!: string[];
  cost!: ToolCostDto;
  stats!: ToolStatsDto;
}

export class ToolListDto {
  tools!: ToolDto[];
  count!: number;
}

export class ConfigProblemDto {
  /** Relative to the config, e.g. `collections[0]`. */
  path!: string;
  message!: string;
}

export class ConfigValidityDto {
  valid!: boolean;
  errors!: ConfigProblemDto[];
}
