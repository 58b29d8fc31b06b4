import type { DoctorCheck } from '../../../src/infrastructure/findings';
import type { OpenDatabase } from '../../../src/infrastructure/postgres';
import { LTI_11_ENDS } from './bridge.types';

/** An organization that accepts LTI 1.1. */
interface OpenBridge {
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

/** LTI 1.1 signs with shared secrets and binds no launch to a browser: an operator has to know that it is on. */
export async function checkBridges({ dataSource }: OpenDatabase, schemaIsCurrent: boolean): Promise<DoctorCheck> {
  const name = 'LTI 1.1';
  if (!schemaIsCurrent) return { name, ok: false, text: 'not checked', data: null };
  const on = await dataSource.query<OpenBridge[]>(OPEN_BRIDGES);
  const parts = on.map(({ organization, until, ended, last_launch_at: last }) => {
    const launched = last === null ? 'never used' : `last launch ${last.toISOString().slice(0, 10)}`;
    return `${organization} ${ended ? `ENDED on ${until}, launches are refused` : `until ${until}`} (${launched})`;
  });
  const text =
    on.length === 0
      ? 'off'
      : `WARNING: ON in ${parts.join(', ')}. Releases after ${LTI_11_ENDS} have no LTI 1.1: move course platforms to LTI 1.3, then switch it off`;
  return { name, ok: on.every(({ ended }) => !ended), text, data: on };
}
