import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsISO8601,
  IsInt,
  IsOptional,
  IsPositive,
  Matches,
  ValidateNested,
} from 'class-validator';
import { ConversationMessageDto } from '../../../src/chat';
import {
  Fraction,
  FilledText,
  Flag,
  Id,
  MayBeOmitted,
  Moment,
  OneOf,
  PageOf,
  QueryBetween,
  Text,
  Trimmed,
} from '../../../src/infrastructure/http';
import { ActivityAssistantDto } from '../activities/activity.dto';
import { WINDOW_MODES, type WindowMode } from '../courses/activity.entity';
import { OfferedAssistantDto } from '../deep-linking/deep-linking.dto';

const MOST_DAYS = 180;

export class DaysQueryDto {
  /** Days until now, by UTC. */
  @MayBeOmitted() @QueryBetween(1, MOST_DAYS, { default: 30 }) days?: number;
}

export class UseDto {
  questions!: number;
  /** Students who asked. */
  students!: number;
}

class DayUseDto extends UseDto {
  @ApiProperty({ format: 'date', example: '2027-01-20' })
  day!: string;
}

class AssistantUseDto extends UseDto {
  assistant_id!: number;
}

class ActivityUseDto extends UseDto {
  @Id() activity_id!: string;
  assistants!: AssistantUseDto[];
  /** Answers that students marked as helpful. */
  up!: number;
  down!: number;
  /** Answers that failed. */
  failed!: number;
}

/** Use of a course by its students. Questions of instructors do not count. */
export class CourseUseDto extends UseDto {
  /** Days with questions, oldest first. */
  days!: DayUseDto[];
  /** Activities with questions. */
  activities!: ActivityUseDto[];
}

class TopicDto {
  /** A word, or two that belong together. */
  @ApiProperty({ example: 'standard deviation' })
  words!: string;
  questions!: number;
  students!: number;
}

export class TopicsDto {
  /** Students who must have asked about a topic for it to be shown. */
  @ApiProperty({ example: 5 })
  least_students!: number;
  /** Questions that were read: the newest ones. */
  questions!: number;
  items!: TopicDto[];
}

export class AssistantTrialDto {
  @ApiProperty({ type: 'integer', example: 12 })
  @IsInt()
  @IsPositive()
  assistant_id!: number;

  @Trimmed() @FilledText(8_000, { example: 'Solve exercise 3 for me.' }) question!: string;

  /** Instruction of an assessment window to be tried; absent for an answer as usual. */
  @MayBeOmitted()
  @Trimmed()
  @Text(4_000, { example: 'Give hints and questions only, never a solution.' })
  instruction?: string;
}

export class AssistantTrialAnswerDto {
  answer!: string;
  @ApiProperty({ items: { type: 'object', additionalProperties: true } })
  sources!: object[];
}

export class ReadablePersonDto {
  /** Null in an anonymous activity. */
  @ApiProperty({ example: 'Ane Etxeberria' })
  name!: string | null;
  /** Id at the learning platform, for a grade; null in an anonymous activity. */
  @ApiProperty({ example: '29123' })
  person!: string | null;
  /** The same for all conversations of the person in this activity; empty beside a name. */
  @ApiProperty({ example: '7F3A21' })
  pseudonym!: string;
}

export class ReadableConversationDto {
  @Id() id!: string;
  person!: ReadablePersonDto;
  assistant!: ActivityAssistantDto;
  /** Empty where the first question was asked before the agreement. */
  @ApiProperty({ example: 'What is a standard deviation?' })
  title!: string;
  @Moment() updated_at!: string;
  /** Questions since the agreement. */
  questions!: number;
}

export class ReadableConversationPageDto extends PageOf(ReadableConversationDto) {}

export class ProposedGradeDto {
  @Fraction({ example: 7.5 }) score!: number;
  @Fraction({ example: 10 }) maximum!: number;
  /** The answer that has the mark. */
  comment!: string;
}

export class ReadWholeConversationDto extends ReadableConversationDto {
  /** Messages since the agreement. */
  messages!: ConversationMessageDto[];
  /** The mark of the last answer to a rubric, to be checked before it is handed over; null without one. */
  proposed_grade!: ProposedGradeDto | null;
}

/** A time without an offset would mean another moment on every server. */
const IsMoment = (): PropertyDecorator => (target, property) => {
  const rules = [
    IsISO8601({ strict: true, strictSeparator: true }),
    Matches(/(?:Z|[+-]\d\d:\d\d)$/i, { message: '$property must end with Z or an offset such as +01:00' }),
  ];
  for (const decorate of rules) decorate(target, property);
};

export class NewWindowDto {
  @ApiProperty({ format: 'date-time', example: '2027-01-20T09:00:00Z' })
  @IsMoment()
  from!: string;

  /** Excluded. */
  @ApiProperty({ format: 'date-time', example: '2027-01-20T11:00:00Z' })
  @IsMoment()
  until!: string;

  /** `closed`: no answers. `strict`: answers under the instruction. */
  @OneOf(WINDOW_MODES) mode!: WindowMode;

  /** Needed for `strict`. It ends the system prompt while the window is open. */
  @MayBeOmitted()
  @Trimmed()
  @Text(4_000, { example: 'Give hints and questions only, never a solution.' })
  instruction?: string;
}

/** Absent members stay. */
export class UpdateActivityDto {
  /** Published assistants that you may use. */
  @ApiProperty({ example: [12] })
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsInt({ each: true })
  assistants?: number[];

  /** Instructors of the course read conversations of students who agreed. Switching it off forgets the agreements. */
  @Flag() teachers_read?: boolean;

  /** Instructors see pseudonyms. Switching it off asks the students for a new agreement. */
  @Flag() anonymous?: boolean;

  /** Students cannot ask before; null for no such time. */
  @ApiProperty({ format: 'date-time' })
  @IsOptional()
  @IsMoment()
  opens_at?: string | null;

  /** Students cannot ask from then on; null for no such time. */
  @ApiProperty({ format: 'date-time' })
  @IsOptional()
  @IsMoment()
  closes_at?: string | null;

  /** Assessment windows. They bind the students of the course in every API, also outside of this activity. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => NewWindowDto)
  windows?: NewWindowDto[];
}

const STATES = ['published', 'unpublished', 'missing'] as const;

export class TaughtAssistantDto {
  @ApiProperty({ example: 12 })
  id!: number;
  /** Empty for a missing one. */
  @ApiProperty({ example: 'Statistics tutor' })
  name!: string;
  /** Only published ones answer. `missing`: deleted, or switched off. */
  @ApiProperty({ enum: STATES })
  state!: (typeof STATES)[number];
  /** You may publish its newest version. */
  may_publish!: boolean;
}

export class ActivityWindowDto {
  @Moment() from!: string;
  /** Excluded. */
  @Moment() until!: string;
  @ApiProperty({ enum: WINDOW_MODES })
  mode!: WindowMode;
  /** Ends the system prompt while the window is open; empty for `closed`. */
  @ApiProperty({ example: 'Give hints and questions only, never a solution.' })
  instruction!: string;
}

export class TaughtActivityDto {
  @Id() id!: string;
  @ApiProperty({ example: 'Ask about statistics' })
  title!: string;
  assistants!: TaughtAssistantDto[];
  teachers_read!: boolean;
  anonymous!: boolean;
  @Moment() opens_at!: string | null;
  @Moment() closes_at!: string | null;
  windows!: ActivityWindowDto[];
  /** Students who have opened it. */
  students!: number;
  /** Students who agreed to what is asked now. */
  agreed!: number;
  /** The learning platform takes grades for it. */
  takes_grades!: boolean;
  version!: number;
}

export class TaughtCourseDto {
  @Id() id!: string;
  @ApiProperty({ example: 'Statistics I' })
  title!: string;
  /** Name of the learning platform. */
  @ApiProperty({ example: 'Moodle of Example University' })
  platform!: string;
  /** The learning platform lists the people of the course. */
  has_roster!: boolean;
  activities!: TaughtActivityDto[];
}

export class OfferedAssistantsDto {
  items!: OfferedAssistantDto[];
}
