import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, Max, Min, Validate, ValidatorConstraint } from 'class-validator';
import { MayBeOmitted } from '../../src/infrastructure/http';
import { GROUPINGS, type QuestionGrouping } from './question-groups.service';

const MOST_DAYS = 365;
const NULLABLE_COUNT = { type: 'integer', nullable: true } as const;
const NULLABLE_NUMBER = { type: 'number', nullable: true } as const;

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

  @ApiPropertyOptional({
    enum: GROUPINGS,
    default: 'words',
    description: '`meaning` needs an embedding model, and sends the questions without names to it.',
  })
  @MayBeOmitted()
  @IsIn(GROUPINGS)
  group_by: QuestionGrouping = 'words';
}

export class AskedDayDto {
  @ApiProperty({ format: 'date' })
  date!: string;
  /** Null: of fewer than five people, or hidden so that another day cannot be computed. */
  @ApiProperty(NULLABLE_COUNT)
  questions!: number | null;
}

export class AskedHourDto {
  /** 0 to 23. */
  @ApiProperty({ type: 'integer' })
  hour!: number;
  @ApiProperty(NULLABLE_COUNT)
  questions!: number | null;
}

/** Milliseconds of complete answers. */
export class AnswerSpeedDto {
  /** Median time until the first word; null where too few answers were streamed. */
  @ApiProperty(NULLABLE_NUMBER)
  first_token_p50_ms!: number | null;
  answer_p50_ms!: number;
  answer_p95_ms!: number;
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
  @ApiProperty(NULLABLE_COUNT)
  searched!: number | null;
  @ApiProperty(NULLABLE_COUNT)
  nothing!: number | null;
  /** The best passage hardly fits the question. */
  @ApiProperty(NULLABLE_COUNT)
  weak!: number | null;
  @ApiProperty(NULLABLE_COUNT)
  good!: number | null;
}

export class MissedQuestionDto {
  question!: string;
  @ApiProperty({ type: 'integer' })
  times!: number;
  /** Result of the newest answer. */
  @ApiProperty({ enum: ['nothing', 'weak'] })
  found!: 'nothing' | 'weak';
}

/** Similar questions of five people or more. */
export class QuestionGroupDto {
  /** At most five words that set the group apart, the most telling first. */
  @ApiProperty({ type: [String] })
  words!: string[];
  /** One question of the group: the most frequent one. */
  question!: string;
  @ApiProperty({ type: 'integer' })
  questions!: number;
  @ApiProperty({ type: 'integer' })
  people!: number;
  /** Questions that found nothing or little. */
  @ApiProperty(NULLABLE_COUNT)
  missed!: number | null;
  /** Answers that were rated well. */
  @ApiProperty(NULLABLE_COUNT)
  up!: number | null;
  @ApiProperty(NULLABLE_COUNT)
  down!: number | null;
}

/** Groups of fewer than five people. Null: of fewer than five people together. */
export class HiddenGroupsDto {
  @ApiProperty(NULLABLE_COUNT)
  groups!: number | null;
  @ApiProperty(NULLABLE_COUNT)
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
  @ApiProperty({ type: String, nullable: true, example: 'p. 3' })
  page_text!: string | null;
}

export class UnusedDocumentDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  title!: string;
  /** Passages of the document. */
  @ApiProperty({ type: 'integer' })
  parts!: number;
  /** Passages that an answer of the period got. */
  @ApiProperty({ type: 'integer' })
  found!: number;
  /** Places of the passages that no answer got, the first 20. */
  @ApiProperty({ type: [UnusedPartDto] })
  never!: UnusedPartDto[];
}

/** Documents with passages that no answer got: at most 50, the least found ones first. */
export class UnusedMaterialDto {
  knowledge_base!: MaterialPlaceDto;
  @ApiProperty({ type: [UnusedDocumentDto] })
  documents!: UnusedDocumentDto[];
}

export class RatingReasonDto {
  @ApiProperty({ enum: ['up', 'down'] })
  value!: 'up' | 'down';
  reason!: string;
}

export class ClassRatingsDto {
  @ApiProperty(NULLABLE_COUNT)
  up!: number | null;
  @ApiProperty(NULLABLE_COUNT)
  down!: number | null;
  /** The newest 50; empty when fewer than five people gave one. */
  @ApiProperty({ type: [RatingReasonDto] })
  reasons!: RatingReasonDto[];
}

export class InsightFixesDto {
  /** Knowledge bases of the assistant that the reader may read. */
  @ApiProperty({ type: [MaterialPlaceDto] })
  knowledge_bases!: MaterialPlaceDto[];
}

export class InsightsDto {
  /** First and last day, in the time zone. */
  @ApiProperty({ format: 'date' })
  from!: string;
  @ApiProperty({ format: 'date' })
  to!: string;
  /** Null when fewer than five people asked. */
  @ApiProperty(NULLABLE_COUNT)
  questions!: number | null;
  @ApiProperty(NULLABLE_COUNT)
  people!: number | null;
  /** Five people or more asked. Otherwise everything below is empty. */
  enough!: boolean;
  @ApiProperty({ type: 'integer' })
  least_people!: number;
  /** Only the newest 5,000 questions of the period were read. */
  capped!: boolean;
  /** Questions whose words were deleted. */
  @ApiProperty(NULLABLE_COUNT)
  deleted_questions!: number | null;
  @ApiProperty({ type: [AskedDayDto] })
  days!: AskedDayDto[];
  @ApiProperty({ type: [AskedHourDto] })
  hours!: AskedHourDto[];
  @ApiProperty({ type: AnswerSpeedDto, nullable: true })
  speed!: AnswerSpeedDto | null;
  /** Null without prices. */
  @ApiProperty({ type: AnswerCostDto, nullable: true })
  cost!: AnswerCostDto | null;
  @ApiProperty({ type: AnswerTokensDto, nullable: true })
  tokens!: AnswerTokensDto | null;
  material!: MaterialFitDto;
  /** At most 50, the most frequent first, without solved ones; empty when fewer than five people asked them all. */
  @ApiProperty({ type: [MissedQuestionDto] })
  missed!: MissedQuestionDto[];
  /** At most 30, the largest first. */
  @ApiProperty({ type: [QuestionGroupDto] })
  groups!: QuestionGroupDto[];
  @ApiProperty({ enum: GROUPINGS })
  grouped_by!: QuestionGrouping;
  /** Groupings that can be asked for: `meaning` is missing without an embedding model that can be used. */
  @ApiProperty({ enum: GROUPINGS, isArray: true })
  groupings!: QuestionGrouping[];
  hidden!: HiddenGroupsDto;
  @ApiProperty({ type: [UnusedMaterialDto] })
  unused!: UnusedMaterialDto[];
  /** Null when fewer than five people rated. */
  @ApiProperty({ type: ClassRatingsDto, nullable: true })
  ratings!: ClassRatingsDto | null;
  fixes!: InsightFixesDto;
}
