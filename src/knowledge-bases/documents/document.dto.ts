import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { MayBeOmitted, PageQueryDto } from '../../platform/http';
import { DOCUMENT_STATUSES, type DocumentStatus } from '../storage/knowledge-base.types';

export class DocumentProgressDto {
  /** Steps done: chunks stored and, where the knowledge base has an embedding, chunks embedded. */
  current!: number;
  /** Steps known of so far; estimated while chunks are being stored. */
  total!: number;
}

export class DocumentDto {
  id!: string;
  knowledge_base_id!: string;
  /** The name it was uploaded under. */
  filename!: string;
  /** Its own title, or first heading. */
  title!: string | null;
  /** Decided by content; like size and hash, that of the newest upload, whether it answers yet or not. */
  content_type!: string;
  /** Bytes. */
  size!: number;
  sha256!: string;
  @ApiProperty({ enum: DOCUMENT_STATUSES })
  status!: DocumentStatus;
  /** Null until it has been read. */
  progress!: DocumentProgressDto | null;
  /** Why it failed. */
  error!: string | null;
  /** The reason for programs, e.g. `document.encrypted`, `document.cancelled`, `upstream_error`. */
  error_code!: string | null;
  /** What the passages that answer lack of the file, e.g. pages without text, or which encoding was assumed. */
  warnings!: string[];
  /** How often its processing has begun since it was uploaded. */
  attempts!: number;
  chunk_count!: number;
  created_at!: Date;
  updated_at!: Date;
}

export class UploadedDocumentsDto {
  items!: DocumentDto[];
}

export class RetriedDocumentsDto {
  /** Failed documents that are processed again. */
  retried!: number;
}

export class DocumentPageDto {
  items!: DocumentDto[];
  next_cursor!: string | null;
  total!: number;
}

export class DocumentListQueryDto extends PageQueryDto {
  @MayBeOmitted()
  @IsIn(DOCUMENT_STATUSES)
  @ApiProperty({ enum: DOCUMENT_STATUSES, required: false })
  status?: DocumentStatus;
}
