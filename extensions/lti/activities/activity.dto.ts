import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { WINDOW_MODES, type WindowMode } from '../courses/activity.entity';
import { type Agreement, AGREEMENTS } from './activity-person.entity';

export const STATES = ['open', 'early', 'over'] as const;

export class ActivityAssistantDto {
  @ApiProperty({ example: 12 })
  id!: number;
  @ApiProperty({ example: 'Statistics tutor' })
  name!: string;
}

export class ActivityCourseDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ example: 'Statistics I' })
  title!: string;
}

export class WindowNoticeDto {
  @ApiProperty({ enum: WINDOW_MODES })
  mode!: WindowMode;
  @ApiProperty({ format: 'date-time' })
  from!: string;
  @ApiProperty({ format: 'date-time' })
  until!: string;
}

export class ActivityAgreementDto {
  /** Agreement without which no question is answered; null for none. */
  @ApiProperty({ enum: AGREEMENTS, nullable: true })
  needed!: Agreement | null;
  /** The agreement that was given, also where it does not cover the needed one. */
  @ApiProperty({ enum: AGREEMENTS, nullable: true })
  agreed_to!: Agreement | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  agreed_at!: string | null;
  /** False: agree before the first question. */
  covered!: boolean;
}

/** An activity of a course, as a person sees it who takes part. */
export class ActivityDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ example: 'Ask about statistics' })
  title!: string;
  /** Null where the platform named none. */
  @ApiProperty({ type: ActivityCourseDto, nullable: true })
  course!: ActivityCourseDto | null;
  @ApiProperty({ enum: ['learner', 'instructor'] })
  role!: 'learner' | 'instructor';
  /** Published ones within the reach of the caller. */
  @ApiProperty({ type: [ActivityAssistantDto] })
  assistants!: ActivityAssistantDto[];
  /** State by the activity's dates. Instructors may always ask. */
  @ApiProperty({ enum: STATES })
  state!: (typeof STATES)[number];
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  opens_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  closes_at!: string | null;
  /** The assessment window that counts now. */
  @ApiProperty({ type: WindowNoticeDto, nullable: true })
  window!: WindowNoticeDto | null;
  /** The window that begins next. */
  @ApiProperty({ type: WindowNoticeDto, nullable: true })
  next_window!: WindowNoticeDto | null;
  /** Instructors read the conversations of students who agreed. */
  teachers_read!: boolean;
  /** Instructors see pseudonyms. */
  anonymous!: boolean;
  /** The caller's own pseudonym, where instructors see pseudonyms. */
  @ApiProperty({ type: String, nullable: true, example: '7F3A21' })
  pseudonym!: string | null;
  agreement!: ActivityAgreementDto;
  /** Time of the server, by which dates and windows count. */
  @ApiProperty({ format: 'date-time' })
  now!: string;
}

export class AgreeDto {
  /** The agreement that the person was shown. */
  @ApiProperty({ enum: AGREEMENTS })
  @IsIn(AGREEMENTS)
  agree_to!: Agreement;
}
