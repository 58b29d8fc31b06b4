import { ApiProperty } from '@nestjs/swagger';
import { OfferedAssistantDto } from '../deep-linking/deep-linking.dto';
import { WINDOW_MODES, type WindowMode } from '../courses/activity.entity';
import { Moment, Id } from '../../../src/infrastructure/http';

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
