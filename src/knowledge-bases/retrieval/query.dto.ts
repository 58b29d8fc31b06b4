import { LANGUAGE_BRIDGES, type LanguageBridge } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { IsNumber, Max, Min } from 'class-validator';
import { RETRIEVAL_MODES, type RetrievalMode } from '../storage/knowledge-base.types';
import { MayBeOmitted, FilledText, Between, OneOf, Flag, Fraction } from '../../infrastructure/http';

export class QueryKnowledgeBaseDto {
  @FilledText(200_000, { example: 'Where does photosynthesis happen?' }) query!: string;

  @MayBeOmitted() @Between(1, 100, { required: false }) top_k: number = 5;

  /** Minimum similarity of a passage, 0 to 1. */
  @MayBeOmitted()
  @IsNumber()
  @Min(0)
  @Max(1)
  @Fraction({ required: false })
  threshold: number = 0;

  /** Wanted mode. The answer tells which mode ran, and why another one did. */
  @MayBeOmitted() @OneOf(RETRIEVAL_MODES) mode?: RetrievalMode;

  /** Return the whole sections that matching chunks belong to. */
  @Flag() parent: boolean = false;

  /** Whether the organization's reranker sorts the passages. Default: the setting of the knowledge base. */
  @Flag() rerank?: boolean;

  /** Budget of estimated tokens for all passages: the last ones are dropped, the first is cut if needed. Default: no limit. */
  @MayBeOmitted() @Between(100, 100_000) max_tokens?: number;

  /** Rejects the query unless the knowledge base is embedded with this model: `model` or `provider/model`. */
  @MayBeOmitted() @FilledText(200) embedding_model?: string;
}

export class QueryResultDto {
  /** 0..1: how close the passage is to the question, on the scale of the mode that ran. */
  @Fraction() similarity!: number;
  /** The passage, a slice of the document's text. */
  data!: string;
  @ApiProperty({ additionalProperties: true })
  metadata!: object;
}

/** A question in another language than the material. */
export class QueryLanguagesDto {
  /** ISO 639-1. */
  @ApiProperty({ example: 'es' })
  question!: string;

  @ApiProperty({ example: ['en'] })
  material!: readonly string[];

  /** How the question was put into the language of the material; null when it was searched for in its own words, which finds little. */
  @ApiProperty({ enum: LANGUAGE_BRIDGES })
  bridge!: LanguageBridge | null;
}

/** How well the best passage fits the question. */
export class MatchDto {
  /** 0 to 1, whatever the length of the question. Below 0.5 the match is weak. */
  @Fraction({ example: 0.82 }) strength!: number;
  /** The best passage has hardly any of the question's rare words: the material may not answer it. */
  weak!: boolean;
}

export class QueryTimingDto {
  @Fraction() total_ms!: number;
}

export class QueryAnswerDto {
  results!: QueryResultDto[];
  count!: number;
  /** The mode that ran. */
  @ApiProperty({ enum: RETRIEVAL_MODES })
  mode!: RetrievalMode;
  /** Null when vectors took part. */
  match!: MatchDto | null;
  /** The question with its typing errors corrected; null when it was searched for as it is. */
  @ApiProperty({ example: 'isolation level' })
  searched_for!: string | null;
  /** Null when the question is in a language of the material, or its language is unknown. */
  languages!: QueryLanguagesDto | null;
  /** Problems, such as a mode that could not run. */
  warnings!: string[];
  timing!: QueryTimingDto;
}
