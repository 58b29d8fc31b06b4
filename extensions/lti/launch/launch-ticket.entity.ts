import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A checked launch whose session another request opens: in a new window, or where the browser sends its cookies. */
@Entity('lti_handovers')
@Index('lti_handovers_expires_idx', ['expiresAt'])
@Index('lti_handovers_spare_idx', ['spareHash'], { unique: true })
export class LaunchTicketEntity {
  /** SHA-256 of the code. */
  @PrimaryColumn('text')
  hash!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** Null for a teacher's account with everything that it reaches. */
  @Column('integer', { name: 'assistant_ids', array: true, nullable: true })
  assistantIds!: number[] | null;

  /** The activity that was launched; null for a selection of content. */
  @Column('uuid', { name: 'activity_id', nullable: true })
  activityId!: string | null;

  /** Path of this service. */
  @Column('text')
  target!: string;

  /** SHA-256 of the secret of the browser that launched; null for a new window, which has none. */
  @Column('text', { name: 'browser_hash', nullable: true })
  browserHash!: string | null;

  /** SHA-256 of a second code, for a new window where the browser keeps no cookies; the use of one code ends both. */
  @Column('text', { name: 'spare_hash', nullable: true })
  spareHash!: string | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
