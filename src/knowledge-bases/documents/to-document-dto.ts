import type { DocumentEntity } from '../storage/document.entity';
import type { DocumentDto, DocumentProgressDto } from './document.dto';

function progressOf({
  status,
  progressCurrent,
  progressTotal,
  chunkCount,
}: DocumentEntity): DocumentProgressDto | null {
  if (status === 'completed') return { current: chunkCount, total: chunkCount };
  return progressTotal === 0 ? null : { current: progressCurrent, total: progressTotal };
}

export const toDocumentDto = (row: DocumentEntity): DocumentDto => ({
  id: row.id,
  knowledge_base_id: row.knowledgeBaseId,
  filename: row.filename,
  source_url: row.sourceUrl,
  title: row.title,
  content_type: row.contentType,
  size: row.size,
  sha256: row.sha256,
  status: row.status,
  progress: progressOf(row),
  error: row.error,
  error_code: row.errorCode,
  warnings: row.warnings,
  attempts: row.attempts,
  chunk_count: row.chunkCount,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});
