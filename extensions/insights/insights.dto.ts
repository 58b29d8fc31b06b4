import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min, Validate, ValidatorConstraint } from 'class-validator';
import { Fraction, MayBeOmitted, OneOf, Id } from '../../src/infrastructure/http';

export const GROUPINGS = ['words', 'meaning'] as const;
/** `words`: by the words in common. `meaning`: by the vectors of an embedding model. */
export type QuestionGrouping = (typeof GROUPINGS)[number];

const MOST_DAYS = 365;

@ValidatorConstraint({ name: 'isTimeZone' })
class IsTimeZone {
  validate(value: unknown): boolean {
    if (typeof value !== 'string' || value === '') return false;
    try {
      new Intl.DateTimeFormat('en', { timeZone: value });
      return true;
    } catch {
      return false;
    }
  }

  defaultMessage(): string {
    return '$property must be the name of a time zone, such as Europe/Madrid';
  }
}

/** Query of the insights. */
export class InsightsQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MOST_DAYS,
    default: 30,
    description: 'Days until now, with today.',
  })
  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MOST_DAYS)
  days = 30;

  @ApiPropertyOptional({
    type: String,
    default: 'UTC',
    example: 'Europe/Madrid',
    description: 'Days and hours are those of this time zone (IANA).',
  })
  @MayBeOmitted()
  @Validate(IsTimeZone)
  time_zone = 'UTC';

  @MayBeOmitted()
  @OneOf(GROUPINGS, {
    default: 'words',
    description: '`meaning` needs an embedding model, and sends the questions without names to it.',
    required: false,
  })
  group_by: QuestionGrouping = 'words';
}

export class AskedDayDto {
  @ApiProperty({ format: 'date' })
  date!: string;
  /** Null: of fewer than five people, or hidden so that another day cannot be computed. */
  questions!: number | null;
}

export class AskedHourDto {
  /** 0 to 23. */
  hour!: number;
  questions!: number | null;
}

/** Milliseconds of complete answers. */
export class AnswerSpeedDto {
  /** Median time until the first word; null where too few answers were streamed. */
  @Fraction() first_token_p50_ms!: number | null;
  @Fraction() answer_p50_ms!: number;
  @Fraction() answer_p95_ms!: number;
}

export class AnswerCostDto {
  /** ISO 4217. */
  currency!: string;
  /** Millionths of the currency. */
  micros!: number;
  per_question_micros!: number;
}

export class AnswerTokensDto {
  prompt!: number;
  completion!: number;
  total!: number;
}

/** Questions by what the tools found in the material. Null: of fewer than five people, or hidden to protect another one. */
export class MaterialFitDto {
  /** Questions for which a tool searched. */
  searched!: number | null;
  nothing!: number | null;
  /** The best passage hardly fits the question. */
  weak!: number | null;
  good!: number | null;
}

export class MissedQuestionDto {
  question!: string;
  times!: number;
  /** Result of the newest answer. */
  @ApiProperty({ enum: ['nothing', 'weak'] })
  found!: 'nothing' | 'weak';
}

/** Similar questions of five people or more. */
export class QuestionGroupDto {
  /** At most five words that set the group apart, the most telling first. */
  words!: string[];
  /** One question of the group: the most frequent one. */
  question!: string;
  questions!: number;
  people!: number;
  /** Questions that found nothing or little. */
  missed!: number | null;
  /** Answers that were rated well. */
  up!: number | null;
  down!: number | null;
}

/** Groups of fewer than five people. Null: of fewer than five people together. */
export class HiddenGroupsDto {
  groups!: number | null;
  questions!: number | null;
}

export class MaterialPlaceDto {
  id!: string;
  name!: string;
  /** The reader may add documents. */
  editable!: boolean;
}

export class UnusedPartDto {
  /** Headings above it, joined by ` › `; empty without any. */
  section!: string;
  /** Page in the language of the document; null without pages. */
  @ApiProperty({ example: 'p. 3' })
  page_text!: string | null;
}

export class UnusedDocumentDto {
  @Id() id!: string;
  title!: string;
  /** Passages of the document. */
  parts!: number;
  /** Passages that an answer of the period got. */
  found!: number;
  /** Places of the passages that no answer got, the first 20. */
  never!: UnusedPartDto[];
}

/** Documents with passages that no answer got: at most 50, the least found ones first. */
export class UnusedMaterialDto {
  knowledge_base!: MaterialPlaceDto;
  documents!: UnusedDocumentDto[];
}

export class RatingReasonDto {
  @ApiProperty({ enum: ['up', 'down'] })
  value!: 'up' | 'down';
  reason!: string;
}

export class ClassRatingsDto {
  up!: number | null;
  down!: number | null;
  /** The newest 50; empty when fewer than five people gave one. */
  reasons!: RatingReasonDto[];
}

export class InsightFixesDto {
  /** Knowledge bases of the assistant that the reader may read. */
  knowledge_bases!: MaterialPlaceDto[];
}

export class InsightsDto {
  /** First and last day, in the time zone. */
  @ApiProperty({ format: 'date' })
  from!: string;
  @ApiProperty({ format: 'date' })
  to!: string;
  /** Null when fewer than five people asked. */
  questions!: number | null;
  people!: number | null;
  /** Five people or more asked. Otherwise everything below is empty. */
  enough!: boolean;
  least_people!: number;
  /** Only the newest 5,000 questions of the period were read. */
  capped!: boolean;
  /** Questions whose words were deleted. */
  deleted_questions!: number | null;
  days!: AskedDayDto[];
  hours!: AskedHourDto[];
  speed!: AnswerSpeedDto | null;
  /** Null without prices. */
  cost!: AnswerCostDto | null;
  tokens!: AnswerTokensDto | null;
  material!: MaterialFitDto;
  /** At most 50, the most frequent first, without solved ones; empty when fewer than five people asked them all. */
  missed!: MissedQuestionDto[];
  /** At most 30, the largest first. */
  groups!: QuestionGroupDto[];
  @ApiProperty({ enum: GROUPINGS })
  grouped_by!: QuestionGrouping;
  /** Groupings that can be asked for: `meaning` is missing without an embedding model that can be used. */
  @ApiProperty({ enum: GROUPINGS, isArray: true })
  groupings!: QuestionGrouping[];
  hidden!: HiddenGroupsDto;
  unused!: UnusedMaterialDto[];
  /** Null when fewer than five people rated. */
  ratings!: ClassRatingsDto | null;
  fixes!: InsightFixesDto;
}
