import { Column, Entity, Index } from 'typeorm';
import { TenantEntity } from '../../infrastructure/database';
import type { ErasureCounts, ErasureReport, ErasureState, HandedOver, Unshared } from './erasure.types';

@Entity('erasure_requests')
@Index('erasure_requests_organization_idx', ['organizationId', 'id'])
@Index('erasure_requests_open_key', ['organizationId', 'subjectId'], { unique: true, where: 'finished_at IS NULL' })
export class ErasureRequestEntity extends TenantEntity {
  /** The person; null once the erasure is done. No foreign key: the account goes first. */
  @Column('uuid', { name: 'subject_id', nullable: true })
  subjectId!: string | null;

  @Column('uuid', { name: 'heir_id', nullable: true })
  heirId!: string | null;

  @Column('uuid', { name: 'requested_by', nullable: true })
  requestedBy!: string | null;

  @Column('text')
  unshared!: Unshared;

  @Column('text', { default: 'queued' })
  state!: ErasureState;

  @Column('jsonb', { default: {} })
  counts!: ErasureCounts;

  @Column('jsonb', { name: 'handed_over', default: {} })
  handedOver!: HandedOver;

  @Column('jsonb', { nullable: true })
  report!: ErasureReport | null;

  /** Error code of the last try. */
  @Column('text', { nullable: true })
  failure!: string | null;

  @Column('timestamptz', { name: 'deactivated_at', nullable: true })
  deactivatedAt!: Date | null;

  @Column('uuid', { name: 'lease_token', nullable: true })
  leaseToken!: string | null;

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil!: Date | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}

/** An open request that this process works on. Its writes fail once the lease is lost. */
export type HeldErasure = ErasureRequestEntity & { readonly subjectId: string; readonly token: string };
