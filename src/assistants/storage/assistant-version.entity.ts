import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KeyedEntity } from '../../infrastructure/database';
import type { AssistantType, CollectionIds } from '../definition';
import { AssistantEntity } from './assistant.entity';

export const VERSION_REASONS = [
  'create',
  'update',
  'restore',
  'duplicate',
  'import',
  'migrate',
  'convert',
  'rollback',
] as const;
export type VersionReason = (typeof VERSION_REASONS)[number];

/** A definition as it was saved. Append-only. */
@Entity('assistant_versions')
@Index('assistant_versions_name_idx', ['organizationId', 'name'])
export class AssistantVersionEntity extends KeyedEntity {
  @ForeignKey(() => AssistantEntity, { name: 'assistant_versions_assistant_fk', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'assistant_id' })
  assistantId!: number;

  @PrimaryColumn('integer')
  version!: number;

  /** null when the service itself wrote it. */
  @Column('uuid', { name: 'author_id', nullable: true })
  authorId!: string | null;

  @Column('text')
  reason!: VersionReason;

  @Column('text')
  type!: AssistantType;

  @Column('text')
  name!: string;

  @Column('text')
  description!: string;

  @Column('text', { name: 'system_prompt' })
  systemPrompt!: string;

  @Column('text', { name: 'prompt_template' })
  promptTemplate!: string;

  @Column('text')
  metadata!: string;

  @Column('text', { name: 'rag_collections' })
  ragCollections!: string;

  @Column('integer', { name: 'rag_top_k' })
  ragTopK!: number;

  /** Ids of the collections as in the row of the assistant when this version was saved. */
  @Column('jsonb', { name: 'collection_ids', nullable: true })
  collectionIds!: CollectionIds | null;
}
