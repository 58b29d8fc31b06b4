import { LANGUAGE_BRIDGES, type LanguageBridge } from '@bellwether/kernel';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsNotEmpty, IsNumber, IsString, Max, MaxLength, Min } from 'class-validator';
import { RETRIEVAL_MODES, type RetrievalMode } from '../storage/knowledge-base.types';
import { MayBeOmitted } from '../../infrastructure/http';

export class QueryKnowledgeBaseDto {
  @ApiProperty({ example: 'Where does photosynthesis happen?' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200_000)
  query!: string;

  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @IsInt()
  @Min(1)
  @Max(100)
  top_k: number = 5;

  /** Minimum similarity of a passage, 0 to 1. */
  @MayBeOmitted()
  @IsNumber()
  @Min(0)
  @Max(1)
  threshold: number = 0;

  /** Wanted mode. The answer tells which mode ran, and why another one did. */
  @MayBeOmitted()
  @IsIn(RETRIEVAL_MODES)
  @ApiProperty({ enum: RETRIEVAL_MODES, required: false })
  mode?: RetrievalMode;

  /** Return the whole sections that matching chunks belong to. */
  @MayBeOmitted()
  @IsBoolean()
  parent: boolean = false;

  /** Whether the organization's reranker sorts the passages. Default: the setting of the knowledge base. */
  @MayBeOmitted()
  @IsBoolean()
  rerank?: boolean;

  /** Budget of estimated tokens for all passages: the last ones are dropped, the first is cut if needed. Default: no limit. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @IsInt()
  @Min(100)
  @Max(100_000)
  max_tokens?: number;

  /** Rejects the query unless the knowledge base is embedded with this model: `model` or `provider/model`. */
  @MayBeOmitted()
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  embedding_model?: string;
}

export class QueryResultDto {
  /** 0..1: how close the passage is to the question, on the scale of the mode that ran. */
  similarity!: number;
  /** The passage, a slice of the document's text. */
  data!: string;
  @ApiProperty({ type: 'object', additionalProperties: true })
  metadata!: object;
}

/** A question in another language than the material. */
export class QueryLanguagesDto {
  /** ISO 639-1. */
  @ApiProperty({ example: 'es' })
  question!: string;

  @ApiProperty({ type: [String], example: ['en'] })
  material!: readonly string[];

  /** How the question was put into the language of the material; null when it was searched for in its own words, which finds little. */
  @ApiProperty({ type: String, enum: LANGUAGE_BRIDGES, nullable: true })
  bridge!: LanguageBridge | null;
}

/** How well the best passage fits the question. */
export class MatchDto {
  /** 0 to 1, whatever the length of the question. Below 0.5 the match is weak. */
  @ApiProperty({ example: 0.82 })
  strength!: number;
  /** The best passage has hardly any of the question's rare words: the material may not answer it. */
  weak!: boolean;
}

export class QueryTimingDto {
  total_ms!: number;
}

export class QueryAnswerDto {
  results!: QueryResultDto[];
  count!: number;
  /** The mode that ran. */
  @ApiProperty({ enum: RETRIEVAL_MODES })
  mode!: RetrievalMode;
  /** Null when vectors took part. */
  @ApiProperty({ type: MatchDto, nullable: true })
  match!: MatchDto | null;
  /** The question with its typing errors corrected; null when it was searched for as it is. */
  @ApiProperty({ type: String, nullable: true, example: 'isolation level' })
  searched_for!: string | null;
  /** Null when the question is in a language of the material, or its language is unknown. */
  @ApiProperty({ type: QueryLanguagesDto, nullable: true })
  languages!: QueryLanguagesDto | null;
  /** Problems, such as a mode that could not run. */
  warnings!: string[];
  timing!: QueryTimingDto;
}
