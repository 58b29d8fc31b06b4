import { Column, Entity, Index } from 'typeorm';
import { TenantEntity } from '../database';

/** PostgreSQL answers bigint as text. */
const NUMBER = { to: (value: number | null) => value, from: (value: string | null) => value && Number(value) };

/**
 * Append-only: triggers refuse changes outside of sealing, redaction and pruning. Ids are UUIDv7, so they order by time
 * of writing; `sequence` orders by sealing.
 */
@Entity('audit_entries')
@Index('audit_entries_organization_idx', ['organizationId', 'id'])
@Index('audit_entries_sequence_idx', ['organizationId', 'sequence'], { unique: true })
@Index('audit_entries_unsealed_idx', ['organizationId', 'id'], { where: 'sequence IS NULL' })
@Index('audit_entries_target_idx', ['organizationId', 'targetType', 'targetId'])
export class AuditEntryEntity extends TenantEntity {
  @Column('text', { name: 'actor_kind' })
  actorKind!: string;

  @Column('uuid', { name: 'actor_user_id', nullable: true })
  actorUserId!: string | null;

  @Column('text', { name: 'actor_credential_id', nullable: true })
  actorCredentialId!: string | null;

  @Column('text')
  action!: string;

  @Column('text', { name: 'target_type' })
  targetType!: string;

  @Column('text', { name: 'target_id' })
  targetId!: string;

  @Column('jsonb', { nullable: true })
  before!: unknown;

  @Column('jsonb', { nullable: true })
  after!: unknown;

  @Column('text', { name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column('text', { nullable: true })
  ip!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  at!: Date;

  /** HMAC of the content by the process that wrote it; null for entries from before there was a chain. */
  @Column('text', { name: 'written_mac', nullable: true })
  writtenMac!: string | null;

  /** Position in the chain of the organization, from 1 without gaps. Null until it is sealed, like the columns below. */
  @Column('bigint', { nullable: true, transformer: NUMBER })
  sequence!: number | null;

  @Column('text', { name: 'previous_hash', nullable: true })
  previousHash!: string | null;

  /** HMAC of the content when it was sealed. A redaction changes the content and keeps this. */
  @Column('text', { name: 'content_hash', nullable: true })
  contentHash!: string | null;

  @Column('text', { nullable: true })
  hash!: string | null;

  /** Data key of the organization from which the hashes are derived. */
  @Column('text', { name: 'key_id', nullable: true })
  keyId!: string | null;
}
