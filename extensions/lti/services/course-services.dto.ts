import { ApiProperty } from '@nestjs/swagger';
import { IsNumber, IsPositive, Max, Min } from 'class-validator';
import { Fraction, MayBeOmitted, FilledText, Text } from '../../../src/infrastructure/http';

const MOST_POINTS = 100_000;

export class CourseMemberDto {
  /** Id of the person at the learning platform. */
  @ApiProperty({ example: '29123' })
  person!: string;
  /** The member of the organization; null for people who have not opened an activity yet. */
  user_id!: string | null;
  /** Null where the platform keeps it to itself. */
  @ApiProperty({ example: 'Ada Lovelace' })
  name!: string | null;
  @ApiProperty({ example: 'ada@uni.example' })
  email!: string | null;
  @ApiProperty({ enum: ['learner', 'instructor'] })
  role!: 'learner' | 'instructor' | null;
  active!: boolean;
}

export class CourseMembersDto {
  items!: CourseMemberDto[];
  total!: number;
}

export class NewGradeDto {
  /** Id of the person at the learning platform, as the list of people has it. */
  @FilledText(255, { example: '29123' }) person!: string;

  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0)
  @Max(MOST_POINTS)
  @Fraction({ example: 7.5 })
  score!: number;

  /** Points of the best grade. */
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @IsPositive()
  @Max(MOST_POINTS)
  @Fraction({ example: 10 })
  maximum!: number;

  /** The student reads it at the platform. */
  @MayBeOmitted() @Text(4_000, { example: 'The second step needs a reason.' }) comment?: string;
}

export class GradeDto {
  id!: string;
  @ApiProperty({ example: '29123' })
  person!: string;
  user_id!: string | null;
  @Fraction() score!: number;
  @Fraction() maximum!: number;
  comment!: string;
  /** `waiting`: the outcome is not known, as the service stopped meanwhile. `refused` and `waiting` ones can be sent again. */
  @ApiProperty({ enum: ['waiting', 'sent', 'refused'] })
  state!: 'waiting' | 'sent' | 'refused';
  /** Words of the platform, or why it could not be asked. */
  @ApiProperty({ example: 'The learning platform answered 404: Not a student of this course' })
  refusal!: string | null;
  created_at!: string;
  sent_at!: string | null;
}

export class GradeListDto {
  items!: GradeDto[];
}
