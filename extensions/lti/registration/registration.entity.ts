import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An address with which one platform may register itself for an organization. */
@Entity('lti_registrations')
@Index('lti_registrations_organization_idx', ['organizationId'])
export class RegistrationEntity {
  /** SHA-256 of the code in the address. */
  @PrimaryColumn('text')
  hash!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'created_by' })
  createdBy!: string;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** A registration is under way since then; null for none. */
  @Column('timestamptz', { name: 'claimed_at', nullable: true })
  claimedAt!: Date | null;
}
