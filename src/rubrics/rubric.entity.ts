import { Column, Entity, Index, Unique } from 'typeorm';
import { VersionedEntity } from '../infrastructure/database';
import type { RubricDocument, RubricVisibility } from './rubric.types';

@Entity('rubrics')
@Unique('rubrics_origin_uq', ['organizationId', 'originId'])
@Unique('rubrics_origin_key_uq', ['organizationId', 'originKey'])
@Index('rubrics_owner_idx', ['organizationId', 'ownerId'])
@Index('rubrics_key_idx', ['organizationId', 'rubricKey'])
export class RubricEntity extends VersionedEntity {
  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  /** The document's `rubricId`. Not unique, because imports keep it. */
  @Column('text', { name: 'rubric_key' })
  rubricKey!: string;

  /** Id in the source of the import. Imported assistants refer to it. */
  @Column('integer', { name: 'origin_id', nullable: true })
  originId!: number | null;

  /** Text id in the source of the import. Imported assistants may refer to it too. */
  @Column('text', { name: 'origin_key', nullable: true })
  originKey!: string | null;

  @Column('text')
  title!: string;

  @Column('text', { default: 'private' })
  visibility!: RubricVisibility;

  /** `json`, because `jsonb` does not keep the order of members. */
  @Column('json')
  document!: RubricDocument;
}
