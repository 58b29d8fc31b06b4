import { ApiProperty } from '@nestjs/swagger';
import { PageOf, Moment, Fraction } from '../infrastructure/http';
import {
  RULE_ENDINGS,
  RULE_LIMITS,
  RULE_SUBJECTS,
  RULE_WINDOWS,
  type RuleEnding,
  type RuleLimit,
  type RuleSubject,
  type RuleWindow,
} from '../organizations';

export class StandingRuleDto {
  @ApiProperty({ example: 'tokens-person-day' })
  id!: string;

  @ApiProperty({ enum: RULE_LIMITS })
  limit!: RuleLimit;

  /** Null for simultaneous runs and streams. */
  @ApiProperty({ enum: RULE_WINDOWS })
  per!: RuleWindow | null;

  /** Effect when nothing is left. */
  @ApiProperty({ enum: RULE_ENDINGS })
  at_end!: RuleEnding;
}

export class StandingSubjectDto {
  @ApiProperty({ enum: RULE_SUBJECTS })
  kind!: RuleSubject;
  /** Null for the whole organization, and for people and keys that stay pseudonymous. */
  id!: string | null;
  /** Null for a subject that is gone. */
  @ApiProperty({ example: 'Ada Lovelace' })
  name!: string | null;
  pseudonym!: string | null;
}

export class StandingWarningDto {
  /** 50, 80 or 100. */
  percent!: number;
  at!: string;
}

/** One rule, one subject, and what is used in the current window. Amounts are in the unit of the rule. */
export class LimitStandingDto {
  rule!: StandingRuleDto;
  subject!: StandingSubjectDto;
  @Fraction({ example: 50_000, description: 'Cost in the currency, tokens, questions or simultaneous runs.' })
  amount!: number;
  @Fraction({ example: 42_180 }) used!: number;
  /** Held by runs that have not ended. */
  @Fraction({ example: 0 }) reserved!: number;
  @Fraction({ example: 7_820 }) remaining!: number;
  /** Used and reserved, of the amount, rounded down. */
  @ApiProperty({ example: 84 })
  percent!: number;
  /** Start of the window, in UTC; null without a window. */
  @Moment() from!: string | null;
  /** End of the window, when the rule starts again. */
  @Moment() to!: string | null;
  /** Percentages that were passed in this window. */
  warnings!: StandingWarningDto[];
}

export class LimitStandingPageDto extends PageOf(LimitStandingDto) {}

export class MyLimitsDto {
  /** ISO 4217; null while the organization has no prices. */
  @ApiProperty({ example: 'EUR' })
  currency!: string | null;
  items!: LimitStandingDto[];
}
