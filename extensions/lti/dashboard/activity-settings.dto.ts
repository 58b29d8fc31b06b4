import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsISO8601,
  IsOptional,
  Matches,
  ValidateNested,
} from 'class-validator';
import { MayBeOmitted, OneOf, Trimmed, Text, Flag } from '../../../src/infrastructure/http';
import { WINDOW_MODES, type WindowMode } from '../courses/activity.entity';

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
