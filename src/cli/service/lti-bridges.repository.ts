import type { DataSource } from 'typeorm';

/** An organization that accepts LTI 1.1. */
export interface OpenBridge {
  readonly organization: string;
  readonly until: string;
  readonly ended: boolean;
  readonly last_launch_at: Date | null;
}

const OPEN_BRIDGES = `
  SELECT organization.slug AS organization, bridge.until::text AS until,
         bridge.until < (now() AT TIME ZONE 'UTC')::date AS ended,
         (SELECT max(key.last_launch_at) FROM lti_bridge_keys key WHERE key.bridge_id = bridge.id) AS last_launch_at
    FROM lti_bridges bridge JOIN organizations organization ON organization.id = bridge.organization_id
   WHERE bridge.enabled ORDER BY organization.slug`;

/** Bridges of every organization. The query stands here, because loading the module takes seconds. */
export const openBridges = (dataSource: DataSource): Promise<OpenBridge[]> => dataSource.query(OPEN_BRIDGES);
