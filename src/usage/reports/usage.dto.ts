import { ApiProperty } from '@nestjs/swagger';
import { Validate, ValidatorConstraint } from 'class-validator';
import { MayBeOmitted, PageOf, PageQueryDto, OneOf, QueryBetween, Text, Id } from '../../infrastructure/http';
import { type Figures, GROUPINGS, type Grouping, MAX_DAYS, SPLITS, type Split, isDay } from './usage.types';

@ValidatorConstraint({ name: 'isDay' })
class IsDay {
  validate(value: unknown): boolean {
    return typeof value === 'string' && isDay(value);
  }

  defaultMessage(): string {
    return '$property must be a day: YYYY-MM-DD';
  }
}

const LARGEST_ID = 2_147_483_647;

/** Query of a usage report. */
export class UsageQueryDto extends PageQueryDto {
  @ApiProperty({
    format: 'date',
    example: '2026-11-01',
    description: `First day, in UTC; 29 days before \`to\` when absent. A report covers at most ${MAX_DAYS} days.`,
  })
  @MayBeOmitted()
  @Validate(IsDay)
  from?: string;

  @ApiProperty({ format: 'date', example: '2026-11-30', description: 'Last day, in UTC; today when absent.' })
  @MayBeOmitted()
  @Validate(IsDay)
  to?: string;

  @MayBeOmitted()
  @OneOf(GROUPINGS, {
    default: 'day',
    description: 'Days come in their order, days without usage with zeros; the others by cost, highest first.',
    required: false,
  })
  by: Grouping = 'day';

  @MayBeOmitted()
  @OneOf(SPLITS, { description: 'With `by=day`: adds the parts of each day, for a stacked plot.' })
  split?: Split;

  @MayBeOmitted()
  @QueryBetween(1, LARGEST_ID, { description: 'Usage of one assistant. Teachers must name one that they may edit.' })
  assistant?: number;

  @MayBeOmitted() @Text(200, { description: 'Usage of one model, by its name at the vendor.' }) model?: string;

  @MayBeOmitted()
  @OneOf(['true', 'false'], {
    description:
      'Pseudonyms instead of names, addresses and ids of people and keys. Always so for teachers, and where the ' +
      "organization's `privacy.usage_people` is `pseudonymous`.",
  })
  pseudonymous?: 'true' | 'false';

  @MayBeOmitted() @OneOf(['json', 'csv'], { description: 'Wins over `Accept`.' }) format?: 'json' | 'csv';
}

/** Sums of a period. */
export class UsageFiguresDto implements Figures {
  runs!: number;
  /** Runs that failed or were cancelled. */
  failed!: number;
  /** Requests to models, those of planners and query rewriters included. */
  model_calls!: number;
  /** Model calls whose tokens the vendor did not report; they were estimated. */
  estimated_calls!: number;
  prompt_tokens!: number;
  completion_tokens!: number;
  /** Part of the prompt tokens that the vendor read from its cache. */
  cached_tokens!: number;
  /** Millionths of the currency. */
  cost_micros!: number;
}

/** Both null: work for no assistant, such as embeddings of documents. */
export class UsageAssistantDto {
  id!: number | null;
  /** The last known name when the assistant was deleted. */
  name!: string | null;
}

/** Both empty for runs that asked no model. */
export class UsageModelDto {
  provider!: string;
  model!: string;
}

export class UsageOrganizationDto {
  id!: string;
  name!: string | null;
}

/** All null: people who were deleted. */
export class UsagePersonDto {
  @Id() user_id!: string | null;
  name!: string | null;
  email!: string | null;
  /** Stable within the organization. In place of the other members where people stay pseudonymous. */
  pseudonym!: string | null;
  /** Set for callers of another organization, who are counted as one. */
  organization!: UsageOrganizationDto | null;
}

/** All null: without an API key, as in the browser. */
export class UsageKeyDto {
  @Id() id!: string | null;
  name!: string | null;
  pseudonym!: string | null;
}

/** Part of a day. */
export class UsagePartDto extends UsageFiguresDto {
  assistant?: UsageAssistantDto;
  model?: UsageModelDto;
}

/** Has one of `day`, `assistant`, `model`, `person` and `key`, chosen by `by`. */
export class UsageRowDto extends UsageFiguresDto {
  @ApiProperty({ format: 'date', example: '2026-11-23' })
  day?: string;
  assistant?: UsageAssistantDto;
  model?: UsageModelDto;
  person?: UsagePersonDto;
  key?: UsageKeyDto;
  /** With `split`. */
  parts?: UsagePartDto[];
}

export class UsageReportDto extends PageOf(UsageRowDto) {
  @ApiProperty({ format: 'date' })
  from!: string;
  @ApiProperty({ format: 'date' })
  to!: string;
  /** Days begin and end at midnight UTC. */
  @ApiProperty({ enum: ['UTC'] })
  time_zone!: 'UTC';
  @ApiProperty({ enum: GROUPINGS })
  by!: Grouping;
  /** ISO 4217; null while the organization has no prices. */
  @ApiProperty({ example: 'EUR' })
  currency!: string | null;
  /** Whether people and keys are shown with pseudonyms. */
  pseudonymous!: boolean;
  /** Totals of the whole report, not of the page. */
  totals!: UsageFiguresDto;
  /** Models that were called on a day for which they have no price: their cost is missing. */
  unpriced_models!: UsageModelDto[];
}
