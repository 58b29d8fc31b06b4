import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsNotEmpty, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { MayBeOmitted } from '../../infrastructure/http';

const MOST_CHARS = 2 ** 31 - 1;

/** A passage of a query's results, with the `document_id`, `start` and `end` of its metadata. */
export class JudgeDto {
  @ApiProperty({ example: 'Where does photosynthesis happen?' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(2_000)
  question!: string;

  @ApiProperty({ format: 'uuid', example: '01a2b3c4-0000-7000-8000-000000000000' })
  @IsUUID()
  document_id!: string;

  @ApiProperty({ type: 'integer', example: 0 })
  @IsInt()
  @Min(0)
  @Max(MOST_CHARS)
  start!: number;

  @ApiProperty({ type: 'integer', example: 1_840 })
  @IsInt()
  @Min(1)
  @Max(MOST_CHARS)
  end!: number;

  /** True: the passage answers the question, or a part of it. */
  @ApiProperty({ example: true })
  @IsBoolean()
  right!: boolean;
}

export class JudgementDto {
  id!: string;
  @ApiProperty({ example: 'Where does photosynthesis happen?' })
  question!: string;
  @ApiProperty({ example: true })
  right!: boolean;
  /** Name of the document, when it was judged. */
  @ApiProperty({ example: 'botany.pdf' })
  filename!: string;
  /** Beginning of the passage. */
  @ApiProperty({ example: 'Photosynthesis takes place in the chloroplasts …' })
  excerpt!: string;
  /** MD5 of the text of each chunk of the passage. `chunks` in the metadata of results has the same. */
  @ApiProperty({ type: [String], example: ['9e107d9d372bb6826bd81d3542a419d6'] })
  chunks!: string[];
  created_at!: Date;
}

export class JudgementListQueryDto {
  /** Only judgements for this question. */
  @ApiPropertyOptional({ example: 'Where does photosynthesis happen?' })
  @MayBeOmitted()
  @IsString()
  @MaxLength(2_000)
  question?: string;
}

export class JudgementListDto {
  /** Newest first; at most 1,000. */
  items!: JudgementDto[];
}
