import { Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { ChangingEntity } from '../../infrastructure/database';
import { KnowledgeBaseEntity } from './knowledge-base.entity';
import type { DocumentStatus } from './knowledge-base.types';
import type { Setback, StoredFile } from './document-files';

@Entity('kb_documents')
@Unique('kb_documents_filename_uq', ['knowledgeBaseId', 'filename'])
@Index('kb_documents_status_idx', ['knowledgeBaseId', 'status'])
@Index('kb_documents_unfinished_idx', ['organizationId'], {
  where: `status IN ('pending', 'processing') OR deleted_at IS NOT NULL`,
})
@Index('kb_documents_generation_idx', ['generation'])
@Index('kb_documents_unused_files_idx', ['id'], { where: `unused_files <> '{}'` })
export class DocumentEntity extends ChangingEntity {
  @ForeignKey(() => KnowledgeBaseEntity, { name: 'kb_documents_knowledge_base_fk' })
  @Column('uuid', { name: 'knowledge_base_id' })
  knowledgeBaseId!: string;

  @Column('text')
  filename!: string;

  /** Address that it was fetched from; null for an upload. */
  @Column('text', { name: 'source_url', nullable: true })
  sourceUrl!: string | null;

  /** Title or first heading of the document. */
  @Column('text', { nullable: true })
  title!: string | null;

  /** Language in which the current chunks are indexed; null before the first. */
  @Column('text', { nullable: true })
  language!: string | null;

  @Column('text', { name: 'content_type' })
  contentType!: string;

  /** Bytes. */
  @Column('integer')
  size!: number;

  @Column('text')
  sha256!: string;

  @Column('text', { name: 'storage_name' })
  storageName!: string;

  /** The file that the current chunks come from, when it is not the newest upload: until or unless that one succeeds. */
  @Column('jsonb', { nullable: true })
  answering!: StoredFile | null;

  /** Failure of the newest upload, kept while the answering file is processed again. */
  @Column('jsonb', { nullable: true })
  setback!: Setback | null;

  /** Names of replaced files in the storage, to be deleted. */
  @Column('text', { name: 'unused_files', array: true, default: () => `'{}'` })
  unusedFiles!: string[];

  /** Parts of the file that the passages lack, in sentences for the owner. */
  @Column('text', { array: true, default: () => `'{}'` })
  warnings!: string[];

  @Column('text')
  status!: DocumentStatus;

  @Column('text', { nullable: true })
  error!: string | null;

  /** Code of the failure; null for failures of earlier versions. */
  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: string | null;

  /** How often processing began since the upload. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Starts in a row whose process ended before the document did. */
  @Column('smallint', { name: 'lost_starts', default: 0 })
  lostStarts!: number;

  /** Fencing token of the worker: each of its writes names it, so a worker that lost the claim changes nothing. */
  @Column('uuid', { nullable: true })
  claim!: string | null;

  /** End of the lease by the database's clock. Other workers may claim the document afterwards. */
  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  /** Steps done and known: chunks stored and, with an embedding, chunks embedded. */
  @Column('integer', { name: 'progress_current', default: 0 })
  progressCurrent!: number;

  @Column('integer', { name: 'progress_total', default: 0 })
  progressTotal!: number;

  /** Set at deletion. A job then removes the chunks and files. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;

  /** Id of the last complete set of chunks, the one that is searched. Null before the first, and after deletion. */
  @Column('uuid', { nullable: true })
  generation!: string | null;

  @Column('integer', { name: 'chunk_count', default: 0 })
  chunkCount!: number;

  /** Number of pages, slides, sheets or cells; null for formats without them, and for documents of earlier versions. */
  @Column('integer', { name: 'page_count', nullable: true })
  pageCount!: number | null;

  /** Printed page numbers or names of sheets, the first of page 1; null where they only count from 1. */
  @Column('text', { name: 'page_labels', array: true, nullable: true })
  pageLabels!: string[] | null;
}
