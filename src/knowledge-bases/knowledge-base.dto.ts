import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsPlainName, MayBeOmitted, PageQueryDto } from '../platform/http';
import {
  INDEX_STATUSES,
  type IndexStatus,
  KNOWLEDGE_BASE_VISIBILITIES,
  type KnowledgeBaseVisibility,
  RETRIEVAL_MODES,
  type RetrievalMode,
} from './storage/knowledge-base.types';
import { LANGUAGES } from './search/language';
import { SLUG_MAX } from './storage/slug';

/** A model that passages and questions are turned into vectors with. */
export class EmbeddingWishDto {
  /** `openai` for any server with OpenAI's embeddings API, or `ollama`. */
  @ApiProperty({ example: 'openai' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(60)
  provider!: string;

  @ApiProperty({ example: 'text-embedding-3-small' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  model!: string;

  /** Fewer than the model's own, where it can be asked for that. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @IsInt()
  @Min(2)
  @Max(4000)
  dimensions?: number;
}

/** What is chosen at creation and can be changed later. */
class KnowledgeBaseSettingsDto {
  /** Unique in the organization; made from the name when absent. Assistants may refer to it. */
  @MayBeOmitted()
  @IsString()
  @MaxLength(SLUG_MAX)
  slug?: string;

  @MayBeOmitted()
  @IsString()
  @MaxLength(2000)
  description?: string;

  /** Language of its documents; decided by the first document when absent. Documents are taken in again when it changes. */
  @MayBeOmitted()
  @IsIn(LANGUAGES)
  @ApiProperty({ enum: LANGUAGES, required: false })
  language?: string;

  @MayBeOmitted()
  @IsIn(KNOWLEDGE_BASE_VISIBILITIES)
  @ApiProperty({ enum: KNOWLEDGE_BASE_VISIBILITIES, required: false })
  visibility?: KnowledgeBaseVisibility;

  /** Characters per chunk, at most. Documents are taken in again when it changes. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @IsInt()
  @Min(200)
  @Max(8000)
  chunk_size?: number;

  /** Characters repeated from the chunk before, at most. Documents are taken in again when it changes. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @IsInt()
  @Min(0)
  @Max(2000)
  chunk_overlap?: number;

  /**
   * null (the default): it is searched by words only. The model is asked once, so it must answer. After a change, new vectors
   * are built beside those that answer, and then take their place; the old model again takes the change back.
   */
  @IsOptional()
  @ValidateNested()
  @Type(() => EmbeddingWishDto)
  @ApiProperty({ type: EmbeddingWishDto, nullable: true, required: false })
  embedding?: EmbeddingWishDto | null;

  /** Share of the vectors in hybrid mode; null: by model, which is 0 for one that is not known to rank well. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  @ApiProperty({ type: Number, nullable: true, required: false })
  hybrid_weight?: number | null;
}

export class CreateKnowledgeBaseDto extends KnowledgeBaseSettingsDto {
  @ApiProperty({ example: 'Course materials' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @IsPlainName()
  name!: string;
}

export class UpdateKnowledgeBaseDto extends KnowledgeBaseSettingsDto {
  @ApiProperty({ required: false, example: 'Course materials' })
  @MayBeOmitted()
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @IsPlainName()
  name?: string;
}

export class EmbeddingDto {
  provider!: string;
  model!: string;
  dimensions!: number;
}

export class IndexProgressDto {
  current!: number;
  total!: number;
}

/** How a knowledge base can be searched now. */
export class IndexDto {
  @ApiProperty({ enum: RETRIEVAL_MODES, isArray: true })
  modes!: RetrievalMode[];
  @ApiProperty({ enum: INDEX_STATUSES })
  status!: IndexStatus;
  /** Chunks of the vectors that are being built. */
  @ApiProperty({ type: IndexProgressDto, nullable: true })
  progress!: IndexProgressDto | null;
  /** What the vectors that answer now were made with. */
  @ApiProperty({ type: EmbeddingDto, nullable: true })
  embedding!: EmbeddingDto | null;
  /** Why there are no vectors, or no new ones, where some are wanted. */
  reason!: string | null;
}

export class KnowledgeBaseDto {
  id!: string;
  slug!: string;
  name!: string;
  description!: string;
  language!: string | null;
  @ApiProperty({ enum: KNOWLEDGE_BASE_VISIBILITIES })
  visibility!: KnowledgeBaseVisibility;
  /** Id of the user who owns it. */
  owner!: string;
  @ApiProperty({ enum: ['owner', 'read'] })
  access!: 'owner' | 'read';
  chunk_size!: number;
  chunk_overlap!: number;
  chunk_count!: number;
  /** Documents of every status. */
  document_count!: number;
  /** What it is to be embedded with; null: searched by words only. */
  @ApiProperty({ type: EmbeddingDto, nullable: true })
  embedding!: EmbeddingDto | null;
  /** Share of the vectors in hybrid mode, 0..1. */
  hybrid_weight!: number;
  index!: IndexDto;
  /** Counts what its owner changed; shares and documents are none of it. */
  version!: number;
  created_at!: Date;
  updated_at!: Date;
}

export class KnowledgeBasePageDto {
  items!: KnowledgeBaseDto[];
  next_cursor!: string | null;
  total!: number;
}

export class KnowledgeBaseListQueryDto extends PageQueryDto {
  /** Part of the name. */
  @MayBeOmitted()
  @IsString()
  @MaxLength(200)
  q?: string;

  /** `me`: only own ones. */
  @MayBeOmitted()
  @IsIn(['me'])
  owner?: 'me';
}

export class ShareWithDto {
  /** Members of the organization by id or e-mail; the list replaces the one before. */
  @ApiProperty({ example: ['ada@example.edu'] })
  @IsArray()
  @ArrayMaxSize(1000)
  @IsString({ each: true })
  @MaxLength(320, { each: true })
  users!: string[];
}

export class SharedUserDto {
  user_id!: string;
  email!: string;
  name!: string;
}

export class KnowledgeBaseSharesDto {
  users!: SharedUserDto[];
}
