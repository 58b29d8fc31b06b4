import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsNumber, IsPositive, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeOmitted } from '../../../src/infrastructure/http';

const MOST_POINTS = 100_000;

export class CourseMemberDto {
  /** Id of the person at the learning platform. */
  @ApiProperty({ example: '29123' })
  person!: string;
  /** The member of the organization; null for people who have not opened an activity yet. */
  @ApiProperty({ type: String, nullable: true })
  user_id!: string | null;
  /** Null where the platform keeps it to itself. */
  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  name!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'ada@uni.example' })
  email!: string | null;
  @ApiProperty({ enum: ['learner', 'instructor'], nullable: true })
  role!: 'learner' | 'instructor' | null;
  active!: boolean;
}

export class CourseMembersDto {
  items!: CourseMemberDto[];
  total!: number;
}

export class NewGradeDto {
  /** Id of the person at the learning platform, as the list of people has it. */
  @ApiProperty({ example: '29123' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(255)
  person!: string;

  @ApiProperty({ example: 7.5 })
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0)
  @Max(MOST_POINTS)
  score!: number;

  /** Points of the best grade. */
  @ApiProperty({ example: 10 })
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @IsPositive()
  @Max(MOST_POINTS)
  maximum!: number;

  /** The student reads it at the platform. */
  @ApiProperty({ required: false, example: 'The second step needs a reason.' })
  @MayBeOmitted()
  @IsString()
  @MaxLength(4_000)
  comment?: string;
}

export class GradeDto {
  id!: string;
  @ApiProperty({ example: '29123' })
  person!: string;
  @ApiProperty({ type: String, nullable: true })
  user_id!: string | null;
  score!: number;
  maximum!: number;
  comment!: string;
  /** `waiting`: the outcome is not known, as the service stopped meanwhile. `refused` and `waiting` ones can be sent again. */
  @ApiProperty({ enum: ['waiting', 'sent', 'refused'] })
  state!: 'waiting' | 'sent' | 'refused';
  /** Words of the platform, or why it could not be asked. */
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'The learning platform answered 404: Not a student of this course',
  })
  refusal!: string | null;
  created_at!: string;
  @ApiProperty({ type: String, nullable: true })
  sent_at!: string | null;
}

export class GradeListDto {
  items!: GradeDto[];
}
