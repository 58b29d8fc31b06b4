import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Head of the hash chain of one organization. */
@Entity('audit_chains')
export class AuditChainEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  /** Number of the last sealed entry; 0 before the first. */
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } })
  sequence!: number;

  @Column('text')
  hash!: string;

  @Column('text', { name: 'key_id' })
  keyId!: string;

  /** Entries up to this id may lack `written_mac`: they are older than the chain. Null once they are sealed. */
  @Column('uuid', { name: 'legacy_until', nullable: true })
  legacyUntil!: string | null;

  /** HMAC over the members above: without the key the end of the chain cannot be cut off. */
  @Column('text')
  mac!: string;

  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt!: Date | null;

  @Column('boolean', { name: 'checked_intact', nullable: true })
  checkedIntact!: boolean | null;
}
