import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations } from '../infrastructure/database';
import type { OrganizationSettings } from './settings/settings.types';
import { ConnectionHealthEntity, type ConnectionOutcome } from './connection-health.entity';

export interface HealthRow {
  readonly organizationId: string;
  readonly connection: string;
  readonly fingerprint: string;
}

export interface InstallationRow extends Pick<
  ConnectionHealthEntity,
  'connection' | 'fingerprint' | 'tested' | 'used'
> {
  readonly slug: string;
  readonly settings: OrganizationSettings;
}

/** Failures first: they must not fall behind the limit. */
const EVERYWHERE = `
  SELECT o.slug, o.settings, h.connection, h.fingerprint, h.tested, h.used
  FROM connection_health h JOIN organizations o ON o.id = h.organization_id
  WHERE NOT o.suspended AND o.erase_after IS NULL
  ORDER BY (coalesce(h.used, h.tested) ->> 'ok')::boolean, o.slug, h.connection LIMIT 1000`;

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

  /** Rows of every organization that takes part in calls. */
  @AcrossOrganizations('figures')
  everywhere(): Promise<InstallationRow[]> {
    return this.dataSource.query(EVERYWHERE);
  }

  all(organizationId: string): Promise<ConnectionHealthEntity[]> {
    return this.dataSource.getRepository(ConnectionHealthEntity).findBy({ organizationId });
  }
}
