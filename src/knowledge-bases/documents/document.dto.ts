import { ApiProperty } from '@nestjs/swagger';
import { MayBeOmitted, PageQueryDto, OneOf, PageOf } from '../../infrastructure/http';
import { DOCUMENT_STATUSES, type DocumentStatus } from '../storage/knowledge-base.types';

export class DocumentProgressDto {
  /** Steps done: chunks stored and, where the knowledge base has an embedding, chunks embedded. */
  current!: number;
  /** Known steps; an estimate while chunks are being stored. */
  total!: number;
}

export class DocumentDto {
  id!: string;
  knowledge_base_id!: string;
  /** Name of the uploaded file. */
  filename!: string;
  /** Address that it was fetched from; null for an upload. */
  source_url!: string | null;
  /** Title or first heading of the document. */
  title!: string | null;
  /** Media type, found by content. Type, size and hash are those of the newest upload, also before it is processed. */
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
  /** Code of the failure, e.g. `document.encrypted`, `document.cancelled`, `upstream_error`. */
  error_code!: string | null;
  /** Parts of the file that the passages lack, such as pages without text, and a guessed encoding. */
  warnings!: string[];
  /** How often processing began since the upload. */
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

export class DocumentPageDto extends PageOf(DocumentDto) {}

export class DocumentListQueryDto extends PageQueryDto {
  @MayBeOmitted() @OneOf(DOCUMENT_STATUSES) status?: DocumentStatus;
}
