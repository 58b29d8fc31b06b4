import { Check, Column, Entity, Index, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import { KeyedEntity } from '../../infrastructure/database';
import type { AssistantType, CollectionIds } from '../definition';

@Entity('assistants')
@Check('assistants_type_ck', `"type" IN ('classic', 'multi_tool')`)
@Check('assistants_published_to_all_ck', `published OR NOT published_to_all`)
@Check('assistants_live_version_ck', `published OR live_version IS NULL`)
@Index('assistants_published_to_all_idx', ['id'], { where: 'published_to_all AND published AND deleted_at IS NULL' })
@Index('assistants_organization_idx', ['organizationId', 'id'], { where: 'deleted_at IS NULL' })
@Index('assistants_published_idx', ['organizationId', 'id'], { where: 'published AND deleted_at IS NULL' })
@Index('assistants_owner_idx', ['organizationId', 'ownerId', 'id'])
@Index('assistants_name_idx', ['organizationId', 'name'], { where: 'deleted_at IS NULL' })
@Index('assistants_changed_idx', ['organizationId', 'id'], {
  where: 'live_version <> version AND deleted_at IS NULL',
})
@Index('assistants_type_idx', ['organizationId', 'type', 'id'], { where: 'deleted_at IS NULL' })
export class AssistantEntity extends KeyedEntity {
  @PrimaryGeneratedColumn('identity', {
    generatedIdentity: 'BY DEFAULT',
  })
  id!: number;

  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  /** Derived from the metadata; stored for filters. */
  @Column('text')
  type!: AssistantType;

  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;

  @Column('text', { name: 'system_prompt', default: '' })
  systemPrompt!: string;

  @Column('text', { name: 'prompt_template', default: '' })
  promptTemplate!: string;

  /** The client's text; may be empty. */
  @Column('text', { default: '' })
  metadata!: string;

  /** Comma-separated (LAMB's format). */
  @Column('text', { name: 'rag_collections', default: '' })
  ragCollections!: string;

  /**
   * Knowledge base id by collection name at the first save; null for the external server. The column is null in rows of
   * older releases, whose names are resolved at each use.
   */
  @Column('jsonb', { name: 'collection_ids', nullable: true })
  collectionIds!: CollectionIds | null;

  @Column('integer', { name: 'rag_top_k', default: 3 })
  ragTopK!: number;

  @Column('boolean', { default: false })
  published!: boolean;

  /** The version that people run while it is published; null when it is not, and then they run the newest. */
  @Column('integer', { name: 'live_version', nullable: true })
  liveVersion!: number | null;

  /** True when a system administrator allows calls by assistants of other organizations, on top of `published`. */
  @Column('boolean', { name: 'published_to_all', default: false })
  publishedToAll!: boolean;

  /** Switched off for everybody, its owner included. */
  @Column('boolean', { default: false })
  disabled!: boolean;

  /** Counts definitions from 1; publication and shares do not change it. */
  @Column('integer', { default: 1 })
  version!: number;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
