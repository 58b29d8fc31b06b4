import { Check, Column, CreateDateColumn, Entity, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';

/**
 * LTI 1.1 of an organization. Its people, courses and activities are those of a platform with the same id, which launches of
 * LTI 1.3 cannot use.
 */
@Entity('lti_bridges')
@Unique('lti_bridges_organization_uq', ['organizationId'])
@Check('lti_bridges_until_ck', '"until" IS NOT NULL OR NOT "enabled"')
export class BridgeEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'lti_bridges_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

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

  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
