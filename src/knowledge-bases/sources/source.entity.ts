import { Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { DatedEntity } from '../../infrastructure/database';
import { DocumentEntity } from '../storage/document.entity';
import { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';

export const SOURCE_REFRESHES = ['manual', 'daily', 'weekly'] as const;
export type SourceRefresh = (typeof SOURCE_REFRESHES)[number];

export const SOURCE_KINDS = ['page', 'video'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** How the last fetch of an address stands. */
export type FetchStatus = 'pending' | 'fetching' | 'fetched' | 'failed';

/** An address whose content is a document of a knowledge base. */
@Entity('kb_sources')
@Unique('kb_sources_url_uq', ['knowledgeBaseId', 'url'])
@Index('kb_sources_document_idx', ['documentId'])
@Index('kb_sources_due_idx', ['nextAt'], { where: 'next_at IS NOT NULL' })
@Index('kb_sources_unfinished_idx', ['id'], { where: `status IN ('pending', 'fetching')` })
export class SourceEntity extends DatedEntity {
  @ForeignKey(() => KnowledgeBaseEntity, { name: 'kb_sources_knowledge_base_fk', onDelete: 'CASCADE' })
  @Column('uuid', { name: 'knowledge_base_id' })
  knowledgeBaseId!: string;

  /** Address of the source; the watch page of a video. */
  @Column('text')
  url!: string;

  @Column('text')
  kind!: SourceKind;

  @Column('text')
  refresh!: SourceRefresh;

  /** Wanted language of captions; null: that of the knowledge base. */
  @Column('text', { nullable: true })
  language!: string | null;

  /** The document with its content; null before the first fetch and when the document was deleted. */
  @ForeignKey(() => DocumentEntity, { name: 'kb_sources_document_fk', onDelete: 'SET NULL' })
  @Column('uuid', { name: 'document_id', nullable: true })
  documentId!: string | null;

  @Column('text')
  status!: FetchStatus;

  /** Why the last fetch failed. */
  @Column('text', { nullable: true })
  error!: string | null;

  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: string | null;

  /** Failed fetches since the last one that succeeded. */
  @Column('integer', { default: 0 })
  failures!: number;

  /** Validators of the last answer (RFC 9110 §8.8). */
  @Column('text', { nullable: true })
  etag!: string | null;

  @Column('text', { name: 'last_modified', nullable: true })
  lastModified!: string | null;

  /** Fencing token of the worker that fetches. */
  @Column('uuid', { nullable: true })
  claim!: string | null;

  @Column('timestamptz', { name: 'claimed_until', nullable: true })
  claimedUntil!: Date | null;

  /** End of the last fetch. */
  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt!: Date | null;

  /** End of the last fetch that succeeded, also without a change. */
  @Column('timestamptz', { name: 'fetched_at', nullable: true })
  fetchedAt!: Date | null;

  /** When it is fetched again; null for a refresh by hand. */
  @Column('timestamptz', { name: 'next_at', nullable: true })
  nextAt!: Date | null;
}
