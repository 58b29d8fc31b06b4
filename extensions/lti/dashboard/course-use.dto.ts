import { ApiProperty } from '@nestjs/swagger';
import { MayBeOmitted, QueryBetween, Id } from '../../../src/infrastructure/http';

export const MOST_DAYS = 180;

export class DaysQueryDto {
  /** Days until now, by UTC. */
  @MayBeOmitted() @QueryBetween(1, MOST_DAYS, { default: 30 }) days?: number;
}

export class UseDto {
  questions!: number;
  /** Students who asked. */
  students!: number;
}

export class DayUseDto extends UseDto {
  @ApiProperty({ format: 'date', example: '2027-01-20' })
  day!: string;
}

export class AssistantUseDto extends UseDto {
  assistant_id!: number;
}

export class ActivityUseDto extends UseDto {
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

export class TopicDto {
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
