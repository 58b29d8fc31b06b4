import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { PageQueryDto } from '../platform/http';
import { KNOWLEDGE_BASE_VISIBILITIES, type KnowledgeBaseVisibility } from './knowledge-base.types';
import { LANGUAGES } from './search/language';
import { SLUG_MAX } from './slug';

export class CreateKnowledgeBaseDto {
  @ApiProperty({ example: 'Course materials' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  name!: string;

  /** Unique in the organization; made from the name when absent. Assistants may refer to it. */
  @IsOptional()
  @IsString()
  @MaxLength(SLUG_MAX)
  slug?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2000)
  description?: string;

  /** Language of its documents; decided by the first document when absent. */
  @IsOptional()
  @IsIn(LANGUAGES)
  @ApiProperty({ enum: LANGUAGES, required: false })
  language?: string;

  @IsOptional()
  @IsIn(KNOWLEDGE_BASE_VISIBILITIES)
  @ApiProperty({ enum: KNOWLEDGE_BASE_VISIBILITIES, required: false })
  visibility?: KnowledgeBaseVisibility;

  /** Characters per chunk, at most. */
  @IsOptional()
  @IsInt()
  @Min(200)
  @Max(8000)
  chunk_size?: number;

  /** Characters repeated from the chunk before, at most. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(2000)
  chunk_overlap?: number;
}

export class UpdateKnowledgeBaseDto {
  @ApiProperty({ required: false, example: 'Course materials' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  name?: string;

  @IsOptional()
  @IsString()
  @MaxLength(SLUG_MAX)
  slug?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2000)
  description?: string;

  @IsOptional()
  @IsIn(KNOWLEDGE_BASE_VISIBILITIES)
  @ApiProperty({ enum: KNOWLEDGE_BASE_VISIBILITIES, required: false })
  visibility?: KnowledgeBaseVisibility;
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
  @IsOptional()
  @IsString()
  @MaxLength(200)
  q?: string;

  /** `me`: only own ones. */
  @IsOptional()
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
