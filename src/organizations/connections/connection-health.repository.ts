import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ConnectionHealthEntity } from './connection-health.entity';
import type { ConnectionOutcome } from './connection-health.types';

export interface HealthRow {
  readonly organizationId: string;
  readonly connection: string;
  readonly fingerprint: string;
}

/** Outcomes of other addresses and secrets are dropped. */
const upsert = (kind: 'tested' | 'used', other: 'tested' | 'used'): string => `
  INSERT INTO connection_health AS held (organization_id, connection, fingerprint, ${kind}) VALUES ($1, $2, $3, $4)
  ON CONFLICT (organization_id, connection) DO UPDATE SET
    fingerprint = excluded.fingerprint,
    ${kind} = excluded.${kind},
    ${other} = CASE WHEN held.fingerprint = excluded.fingerprint THEN held.${other} END`;

const UPSERTS = { tested: upsert('tested', 'used'), used: upsert('used', 'tested') } as const;

@Injectable()
export class ConnectionHealthRepository {
  constructor(private readonly dataSource: DataSource) {}

  async keep(row: HealthRow, kind: 'tested' | 'used', outcome: ConnectionOutcome): Promise<void> {
    const { organizationId, connection, fingerprint } = row;
    await this.dataSource.query(UPSERTS[kind], [organizationId, connection, fingerprint, JSON.stringify(outcome)]);
  }

  all(organizationId: string): Promise<ConnectionHealthEntity[]> {
    return this.dataSource.getRepository(ConnectionHealthEntity).findBy({ organizationId });
  }
}
