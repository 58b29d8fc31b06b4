import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsUUID } from 'class-validator';
import { MayBeOmitted, FilledText, Between, Text } from '../../../src/infrastructure/http';

const MOST_CHARS = 2 ** 31 - 1;

/** A passage of a query's results, with the `document_id`, `start` and `end` of its metadata. */
export class JudgeDto {
  @FilledText(2_000, { example: 'Where does photosynthesis happen?' }) question!: string;

  @ApiProperty({ format: 'uuid', example: '01a2b3c4-0000-7000-8000-000000000000' })
  @IsUUID()
  document_id!: string;

  @Between(0, MOST_CHARS, { example: 0 }) start!: number;

  @Between(1, MOST_CHARS, { example: 1_840 }) end!: number;

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
  @ApiProperty({ example: ['9e107d9d372bb6826bd81d3542a419d6'] })
  chunks!: string[];
  created_at!: Date;
}

export class JudgementListQueryDto {
  /** Only judgements for this question. */
  @MayBeOmitted() @Text(2_000, { example: 'Where does photosynthesis happen?' }) question?: string;
}

export class JudgementListDto {
  /** Newest first; at most 1,000. */
  items!: JudgementDto[];
}
