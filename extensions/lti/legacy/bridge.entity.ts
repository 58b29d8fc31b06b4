import { Check, Column, Entity, Unique } from 'typeorm';
import { VersionedEntity } from '../../../src/infrastructure/database';

/**
 * LTI 1.1 of an organization. Its people, courses and activities are those of a platform with the same id, which launches of
 * LTI 1.3 cannot use.
 */
@Entity('lti_bridges')
@Unique('lti_bridges_organization_uq', ['organizationId'])
@Check('lti_bridges_until_ck', '"until" IS NOT NULL OR NOT "enabled"')
export class BridgeEntity extends VersionedEntity {
  @Column('boolean', { default: false })
  enabled!: boolean;

  /** The last day, in UTC. */
  @Column('date', { nullable: true })
  until!: string | null;

  /** Sealed. Signs the launches of all keys of kind `assistant`. */
  @Column('text', { name: 'assistant_secret', nullable: true })
  assistantSecret!: string | null;

  /** Platforms of LTI 1.3 that were behind the bridge: their ids of people and links are the same. */
  @Column('uuid', { name: 'continued_by', array: true, default: [] })
  continuedBy!: string[];
}
