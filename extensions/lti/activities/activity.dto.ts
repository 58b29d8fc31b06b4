import { ApiProperty } from '@nestjs/swagger';
import { WINDOW_MODES, type WindowMode } from '../courses/activity.entity';
import { type Agreement, AGREEMENTS } from './activity-person.entity';
import { Id, Moment, OneOf } from '../../../src/infrastructure/http';

export const STATES = ['open', 'early', 'over'] as const;

export class ActivityAssistantDto {
  @ApiProperty({ example: 12 })
  id!: number;
  @ApiProperty({ example: 'Statistics tutor' })
  name!: string;
}

export class ActivityCourseDto {
  @Id() id!: string;
  @ApiProperty({ example: 'Statistics I' })
  title!: string;
}

export class WindowNoticeDto {
  @ApiProperty({ enum: WINDOW_MODES })
  mode!: WindowMode;
  @Moment() from!: string;
  @Moment() until!: string;
}

export class ActivityAgreementDto {
  /** Agreement without which no question is answered; null for none. */
  @ApiProperty({ enum: AGREEMENTS })
  needed!: Agreement | null;
  /** The agreement that was given, also where it does not cover the needed one. */
  @ApiProperty({ enum: AGREEMENTS })
  agreed_to!: Agreement | null;
  @Moment() agreed_at!: string | null;
  /** False: agree before the first question. */
  covered!: boolean;
}

/** An activity of a course, as a person sees it who takes part. */
export class ActivityDto {
  @Id() id!: string;
  @ApiProperty({ example: 'Ask about statistics' })
  title!: string;
  /** Null where the platform named none. */
  course!: ActivityCourseDto | null;
  @ApiProperty({ enum: ['learner', 'instructor'] })
  role!: 'learner' | 'instructor';
  /** Published ones within the reach of the caller. */
  assistants!: ActivityAssistantDto[];
  /** State by the activity's dates. Instructors may always ask. */
  @ApiProperty({ enum: STATES })
  state!: (typeof STATES)[number];
  @Moment() opens_at!: string | null;
  @Moment() closes_at!: string | null;
  /** The assessment window that counts now. */
  window!: WindowNoticeDto | null;
  /** The window that begins next. */
  next_window!: WindowNoticeDto | null;
  /** Instructors read the conversations of students who agreed. */
  teachers_read!: boolean;
  /** Instructors see pseudonyms. */
  anonymous!: boolean;
  /** The caller's own pseudonym, where instructors see pseudonyms. */
  @ApiProperty({ example: '7F3A21' })
  pseudonym!: string | null;
  agreement!: ActivityAgreementDto;
  /** Time of the server, by which dates and windows count. */
  @Moment() now!: string;
}

export class AgreeDto {
  /** The agreement that the person was shown. */
  @OneOf(AGREEMENTS) agree_to!: Agreement;
}
