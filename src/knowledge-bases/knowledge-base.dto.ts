import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import {
  Between,
  FilledText,
  Flag,
  IsPlainName,
  MayBeOmitted,
  OneOf,
  PageOf,
  PageQueryDto,
  Text,
  Fraction,
} from '../infrastructure/http';
import { LANGUAGES } from './search/searchable-text';
import {
  INDEX_STATUSES,
  type IndexStatus,
  KNOWLEDGE_BASE_VISIBILITIES,
  type KnowledgeBaseVisibility,
  RETRIEVAL_MODES,
  type RetrievalMode,
} from './storage/knowledge-base.types';
import { SLUG_MAX } from './storage/slug';

export class ExternalCollectionQueryDto extends PageQueryDto {}

class ExternalCollectionDto {
  /** Id for `collections` of an assistant. */
  @ApiProperty({ example: '7' })
  id!: string;

  name!: string;

  /** Id of the user who owns it. */
  owner!: string;

  /** Listed for every member of the organization. */
  shared!: boolean;
}

export class ExternalCollectionPageDto extends PageOf(ExternalCollectionDto) {}

/** An embedding model. */
export class EmbeddingWishDto {
  /** `openai` for any server with OpenAI's embeddings API, or `ollama`. */
  @FilledText(60, { example: 'openai' }) provider!: string;

  @FilledText(200, { example: 'text-embedding-3-small' }) model!: string;

  /** Fewer dimensions than the model's default, if the model supports it. */
  @MayBeOmitted() @Between(2, 4000) dimensions?: number;
}

class KnowledgeBaseSettingsDto {
  /** Unique in the organization. Default: made from the name. Assistants may refer to it. */
  @MayBeOmitted() @Text(SLUG_MAX) slug?: string;

  @MayBeOmitted() @Text(2000) description?: string;

  /** Language of all documents. Null (the default): detected in each document. A change re-indexes the documents. */
  @IsOptional()
  @OneOf(LANGUAGES)
  language?: string | null;

  @MayBeOmitted() @OneOf(KNOWLEDGE_BASE_VISIBILITIES) visibility?: KnowledgeBaseVisibility;

  /** Most characters per chunk. A change re-indexes the documents. */
  @MayBeOmitted() @Between(200, 8000) chunk_size?: number;

  /** Most characters repeated from the previous chunk. A change re-indexes the documents. */
  @MayBeOmitted() @Between(0, 2000) chunk_overlap?: number;

  /**
   * Null (the default): keyword search only. The model is checked with one call. After a change, the current vectors answer
   * until the new ones are complete. Choosing the current model again undoes the change.
   */
  @IsOptional()
  @ValidateNested()
  @Type(() => EmbeddingWishDto)
  @ApiProperty({ type: EmbeddingWishDto, nullable: true, required: false })
  embedding?: EmbeddingWishDto | null;

  /** Weight of the vectors in hybrid mode. Null: by model and languages, 0 where the model is unknown or does not know one. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  @Fraction({ nullable: true, required: false })
  hybrid_weight?: number | null;

  /** The organization's reranker sorts the passages that are found. Default: false. */
  @Flag() rerank?: boolean;

  /** Readers of an answer may read the passages that it used. Default: true. */
  @Flag() passages_shown?: boolean;
}

export class CreateKnowledgeBaseDto extends KnowledgeBaseSettingsDto {
  @IsPlainName() @FilledText(200, { example: 'Course materials' }) name!: string;
}

export class UpdateKnowledgeBaseDto extends KnowledgeBaseSettingsDto {
  @MayBeOmitted()
  @IsPlainName()
  @FilledText(200, { example: 'Course materials' })
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
  /** Embedded chunks of the index that is being built. */
  progress!: IndexProgressDto | null;
  /** Embedding of the vectors in use. */
  embedding!: EmbeddingDto | null;
  /** Why the chosen vectors are missing. */
  reason!: string | null;
}

export class KnowledgeBaseDto {
  id!: string;
  slug!: string;
  name!: string;
  description!: string;
  /** Language of all documents, or of the first one; null until a document decides it. */
  language!: string | null;
  /** False: each document has the language that was detected in it. */
  language_chosen!: boolean;
  /** Languages of the passages; a question is searched for in each. */
  languages!: string[];
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
  /** The chosen embedding; null: keyword search only. */
  embedding!: EmbeddingDto | null;
  /** Weight of the vectors in hybrid mode, 0..1. */
  @Fraction() hybrid_weight!: number;
  /** The organization's reranker sorts the passages that are found. */
  rerank!: boolean;
  /** Readers of an answer may read the passages that it used. */
  passages_shown!: boolean;
  index!: IndexDto;
  /** Counts changes of the settings, not of shares or documents. */
  version!: number;
  created_at!: Date;
  updated_at!: Date;
}

export class KnowledgeBasePageDto extends PageOf(KnowledgeBaseDto) {}

export class KnowledgeBaseListQueryDto extends PageQueryDto {
  /** Part of the name. */
  @MayBeOmitted() @Text(200) q?: string;

  /** `me`: only own ones. */
  @MayBeOmitted() @OneOf(['me']) owner?: 'me';
}

export class ShareWithDto {
  /** Members of the organization by id or e-mail. The list replaces the previous one. */
  @ApiProperty({ example: ['ada@example.edu'] })
  @IsArray()
  @ArrayMaxSize(1000)
  @IsString({ each: true })
  @MaxLength(320, { each: true })
  users!: string[];

  /** Ids of groups of the organization. The list replaces the previous one; absent, the groups stay. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(100)
  @IsUUID(undefined, { each: true })
  groups?: string[];
}

export class SharedUserDto {
  user_id!: string;
  email!: string;
  name!: string;
}

export class SharedGroupDto {
  group_id!: string;
  @ApiProperty({ example: 'Physics 1, winter term' })
  name!: string;
}

export class KnowledgeBaseSharesDto {
  users!: SharedUserDto[];
  groups!: SharedGroupDto[];
}
