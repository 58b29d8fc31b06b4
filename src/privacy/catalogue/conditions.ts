/** Takes the place of the person in records that stay. */
export const ERASED_USER_ID = '00000000-0000-0000-0000-000000000000';

/** SQL conditions on a row `t`: `$1` is the organization, `$2` the person. */
export const OWNED = 't.organization_id = $1 AND t.owner_id = $2';
export const OF_MEMBER = 't.organization_id = $1 AND t.user_id = $2';
export const ASKED = '(t.organization_id = $1 OR t.caller_organization_id = $1) AND t.user_id = $2';
export const OF_RUN = `t.run_id IN (SELECT run.id FROM runs run WHERE ${ASKED.replaceAll('t.', 'run.')})`;
export const ownedBy = (table: string): string =>
  `SELECT owned.id FROM ${table} owned WHERE owned.organization_id = $1 AND owned.owner_id = $2`;

/** Exported columns that are about the person only in some rows; null in the others. */
export const onlyIf = (condition: string, ...columns: readonly string[]): readonly string[] =>
  columns.map((column) => `CASE WHEN ${condition} THEN t.${column} END AS ${column}`);

/** Credentials are opaque in other tables. */
export const CREDENTIALS = `
  SELECT $2::uuid::text UNION ALL
  SELECT own.id::text FROM api_keys own WHERE own.organization_id = $1 AND own.user_id = $2 UNION ALL
  SELECT own.id::text FROM sessions own WHERE own.organization_id = $1 AND own.user_id = $2`;
