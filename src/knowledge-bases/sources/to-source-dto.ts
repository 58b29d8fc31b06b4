import type { DocumentEntity } from '../storage/document.entity';
import type { SourceDto, SourceStatus } from './source.dto';
import type { SourceEntity } from './storage/source.entity';

function statusOf({ status }: SourceEntity, document: DocumentEntity | undefined): SourceStatus {
  if (status !== 'fetched') return status;
  if (document?.status === 'pending' || document?.status === 'processing') return 'processing';
  return document?.status === 'failed' ? 'failed' : 'completed';
}

/** `document`: the one of the source, unless it was deleted. */
export function toSourceDto(row: SourceEntity, document: DocumentEntity | undefined): SourceDto {
  const status = statusOf(row, document);
  const failure = status === 'failed' && row.status === 'fetched' ? document : row;
  return {
    id: row.id,
    knowledge_base_id: row.knowledgeBaseId,
    url: row.url,
    kind: row.kind,
    refresh: row.refresh,
    language: row.language,
    status,
    error: failure?.error ?? null,
    error_code: failure?.errorCode ?? null,
    document_id: document?.id ?? null,
    title: document?.title ?? null,
    checked_at: row.checkedAt,
    fetched_at: row.fetchedAt,
    next_refresh_at: row.nextAt,
    created_at: row.createdAt,
  };
}
