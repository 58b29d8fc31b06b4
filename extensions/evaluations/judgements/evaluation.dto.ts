import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsNumber, Max, Min, ValidateNested } from 'class-validator';
import { Fraction, MayBeOmitted, OneOf } from '../../../src/infrastructure/http';
import { RETRIEVAL_MODES, type RetrievalMode } from '../../../src/knowledge-bases';

const DEPTHS = [5, 10] as const;
export type Depth = (typeof DEPTHS)[number];

export class RankingSettingsDto {
  /** Weight of the vectors; 0 searches by words alone. */
  @IsNumber()
  @Min(0)
  @Max(1)
  @Fraction({ example: 0.5 })
  hybrid_weight!: number;

  /** Whether the organization's reranker sorts the passages. */
  @ApiProperty({ example: false })
  @IsBoolean()
  rerank!: boolean;
}

export class EvaluateDto {
  /** Passages that count per question: 5 or 10. */
  @MayBeOmitted() @OneOf(DEPTHS, { type: 'integer', example: 5, required: false }) at: Depth = 5;

  /** Settings to compare with the current ones. Default: words alone, three weights, and the reranker, as far as they can run. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(8)
  @ValidateNested({ each: true })
  @Type(() => RankingSettingsDto)
  alternatives?: RankingSettingsDto[];
}

export class AlternativeDto extends RankingSettingsDto {
  /** The settings that are saved now. */
  @ApiProperty({ example: true })
  current!: boolean;
  /** The mode that ran. */
  @ApiProperty({ enum: RETRIEVAL_MODES, example: 'hybrid' })
  mode!: RetrievalMode;
  /** Mean over the questions, 0 to 1: how high the right passages stand. */
  @Fraction({ example: 0.8155 }) ndcg!: number;
  /** Share of the questions with a right passage among the first. */
  @Fraction({ example: 0.92 }) hit_rate!: number;
  /** Share of the passages shown that have been judged. The lower it is, the less the other figures say. */
  @Fraction({ example: 0.7 }) judged!: number;
  /** Problems, such as a reranker that failed. */
  @ApiProperty({ example: [] })
  warnings!: string[];
}

export class EvaluationDto {
  @ApiProperty({ example: 5 }) at!: number;
  /** Questions with a right passage that is still in the material, and that all alternatives were asked. */
  @ApiProperty({ example: 12 }) questions!: number;
  /** Questions that were left out: more than 50, or the time of a minute was over. */
  @ApiProperty({ example: 0 }) left_out!: number;
  /** Judgements of passages whose text is no longer in the material. */
  @ApiProperty({ example: 1 }) outdated!: number;
  /** The current settings first. */
  alternatives!: AlternativeDto[];
}
