import { Column, Entity, Index, Unique } from 'typeorm';
import { TenantEntity } from '../database';

@Entity('idempotency_records')
@Unique('idempotency_records_key', ['organizationId', 'callerId', 'route', 'key'])
@Index('idempotency_records_expiry_idx', ['expiresAt'])
export class IdempotencyRecordEntity extends TenantEntity {
  @Column('text', { name: 'caller_id' })
  callerId!: string;

  @Column('text')
  route!: string;

  @Column('text')
  key!: string;

  @Column('text', { name: 'body_hash' })
  bodyHash!: string;

  @Column('text')
  state!: 'running' | 'done';

  @Column('text', { nullable: true })
  response!: string | null;

  /** Results of the committed transactions, as JSON; encrypted where the answer is. */
  @Column('text', { nullable: true })
  effects!: string | null;

  /** Lease: after this time the holder is taken for dead. */
  @Column('timestamptz', { name: 'lease_until' })
  leaseUntil!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
