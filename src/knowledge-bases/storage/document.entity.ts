import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
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
export class DocumentEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'kb_documents_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @ForeignKey(() => KnowledgeBaseEntity, { name: 'kb_documents_knowledge_base_fk' })
  @Column('uuid', { name: 'knowledge_base_id' })
  knowledgeBaseId!: string;

  /** The name it was uploaded under, unchanged. */
  @Column('text')
  filename!: string;

  /** Its own title, or first heading; null when it has neither. */
  @Column('text', { nullable: true })
  title!: string | null;

  @Column('text', { name: 'content_type' })
  contentType!: string;

  /** Bytes. */
  @Column('integer')
  size!: number;

  @Column('text')
  sha256!: string;

  @Column('text', { name: 'storage_name' })
  storageName!: string;

  /** What its passages are from, where that is not the newest upload: until its replacement is in force, for ever if that fails. */
  @Column('jsonb', { nullable: true })
  answering!: StoredFile | null;

  /** Set while the answering file is read again although a newer upload has failed, which it has afterwards as well. */
  @Column('jsonb', { nullable: true })
  setback!: Setback | null;

  /** Storage names that nothing needs any more, until the bytes are gone. */
  @Column('text', { name: 'unused_files', array: true, default: () => `'{}'` })
  unusedFiles!: string[];

  /** What its passages lack of the file, in sentences for its owner. */
  @Column('text', { array: true, default: () => `'{}'` })
  warnings!: string[];

  @Column('text')
  status!: DocumentStatus;

  @Column('text', { nullable: true })
  error!: string | null;

  /** Names the reason for programs; null for failures of earlier versions. */
  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: string | null;

  /** How often its processing has begun since it was uploaded. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Who processes it: every write of a worker names its claim, so one that has lost it changes nothing. */
  @Column('uuid', { nullable: true })
  claim!: string | null;

  /** By the database's clock; after it, others may claim the document. */
  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  /** Steps done and steps known of: chunks stored and, where there is an embedding, chunks embedded. */
  @Column('integer', { name: 'progress_current', default: 0 })
  progressCurrent!: number;

  @Column('integer', { name: 'progress_total', default: 0 })
  progressTotal!: number;

  /** Set when it is being taken apart: nobody sees it any more, and its name is free. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;

  /** Which of its chunks answer: the last complete set. Null before the first, and while it is being deleted. */
  @Column('uuid', { nullable: true })
  generation!: string | null;

  @Column('integer', { name: 'chunk_count', default: 0 })
  chunkCount!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
