import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ConnectionOutcome } from './connection-health.types';

/** The last outcomes of one vendor or server of an organization. */
@Entity('connection_health')
export class ConnectionHealthEntity {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'connection_health_pk' })
  organizationId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'connection_health_pk' })
  connection!: string;

  /** Hash of address and secret. Outcomes under another hash are out of date. */
  @Column('text')
  fingerprint!: string;

  @Column('jsonb', { nullable: true })
  tested!: ConnectionOutcome | null;

  @Column('jsonb', { nullable: true })
  used!: ConnectionOutcome | null;
}
