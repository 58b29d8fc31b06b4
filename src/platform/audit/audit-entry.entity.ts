import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Append-only: nothing in the service updates or deletes an entry. Ids are UUIDv7, so they order by time. */
@Entity('audit_entries')
@Index('audit_entries_organization_idx', ['organizationId', 'id'])
export class AuditEntryEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'audit_entries_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

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
}
