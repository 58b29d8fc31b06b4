import { Logger } from '@nestjs/common/services/logger.service.js';
import type { DataSource, EntityManager } from 'typeorm';
import { SHORT_WAITS, untilLocked } from '../short-locks';

/** Works for one organization: sees the rows that the policies give it. */
export const TENANT_ROLE = 'bellwether_app';
/** Works across organizations: sign-in, leases, retention, jobs. Sees every row, changes no schema. */
export const SERVICE_ROLE = 'bellwether_service';
/** Setting with the organization of the current transaction. */
export const ORGANIZATION_SETTING = 'bellwether.organization';

const ATTRIBUTES = 'NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION';

/** Statements for a role that may create roles, so that `login` can switch to both. */
export const roleStatements = (login: string): readonly string[] => [
  ...[TENANT_ROLE, SERVICE_ROLE].map((role) => `CREATE ROLE ${role} ${ATTRIBUTES}`),
  `GRANT ${TENANT_ROLE}, ${SERVICE_ROLE} TO ${login}`,
];

/** Another database of the server may have created the roles, or creates them at this moment. */
export const createRoles = [TENANT_ROLE, SERVICE_ROLE]
  .map(
    (role) => `
  DO $$ BEGIN
    IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} ${ATTRIBUTES}; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$`,
  )
  .join(';');

/** `$1`: the login of the service. */
export const ROLES_STATE = `
  SELECT quote_ident($1) AS login,
    to_regrole('${TENANT_ROLE}') IS NOT NULL AND to_regrole('${SERVICE_ROLE}') IS NOT NULL AS exist,
    coalesce(pg_has_role($1, to_regrole('${TENANT_ROLE}'), 'MEMBER')
      AND pg_has_role($1, to_regrole('${SERVICE_ROLE}'), 'MEMBER'), false) AS usable,
    (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) AS "mayCreate",
    NOT EXISTS (SELECT FROM pg_roles WHERE rolname IN ('${TENANT_ROLE}', '${SERVICE_ROLE}') AND (rolsuper OR rolbypassrls))
      AS harmless`;

export interface RolesState {
  /** Quoted. */
  readonly login: string;
  readonly exist: boolean;
  /** The login may switch to both. */
  readonly usable: boolean;
  readonly mayCreate: boolean;
  /** Neither role is a superuser or bypasses policies. */
  readonly harmless: boolean;
}

/** Null without an organization, so that no row matches. In a subquery it is read once per statement. */
const CURRENT = `(SELECT nullif(current_setting('${ORGANIZATION_SETTING}', true), '')::uuid)`;

/** Policy of a table with the column `organization_id`: nothing to list for it. */
export const BY_COLUMN = `organization_id = ${CURRENT}`;

/**
 * COALESCE corrects the planner's estimate. With a plain OR, the planner treats both conditions on the organization as
 * independent, expects far too few runs, and reads all of them for a page. For a COALESCE it expects half of the rows.
 */
function isCurrentOfRun(column: string): string {
  return `coalesce(${column} = ${CURRENT}, false)`;
}

/**
 * Tables without `organization_id`, `runs` and its segments: the condition under which a row belongs to the current organization.
 * Subqueries obey the policies of the tables that they read.
 */
export const BY_CONDITION: Readonly<Record<string, string>> = {
  organizations: `id = ${CURRENT}`,
  runs: isCurrentOfRun('organization_id'),
  run_segments: isCurrentOfRun('organization_id'),
  // A scalar subquery is never hashed. EXISTS may be, and then reads every member or run of the organization for one row.
  users: `(SELECT true FROM members WHERE members.user_id = users.id LIMIT 1)`,
  run_requests: `(SELECT true FROM runs WHERE runs.id = run_id)`,
  run_events: `(SELECT true FROM runs WHERE runs.id = run_id)`,
  kb_terms: `knowledge_base_id IN (SELECT id FROM knowledge_bases)`,
  kb_posting_blocks: `(SELECT true FROM kb_terms WHERE kb_terms.id = term_id)`,
  kb_chunk_terms: `(SELECT true FROM kb_documents WHERE kb_documents.id = document_id)`,
  kb_vectors: `index_id IN (SELECT unnest(ARRAY[vector_index, next_vector_index]) FROM knowledge_bases)`,
};

/** Tables whose rows a second organization may read, not change: the column that names it, and the condition. */
export const ALSO_READABLE_BY: Readonly<Record<string, { readonly column: string; readonly condition: string }>> = {
  runs: { column: 'caller_organization_id', condition: isCurrentOfRun('caller_organization_id') },
  run_segments: { column: 'caller_organization_id', condition: isCurrentOfRun('caller_organization_id') },
};

/** Tables of the whole installation: only work across organizations reads and writes them. */
export const INSTALLATION_TABLES: readonly string[] = [
  'applied_writes',
  'import_leases',
  'installation_figures',
  'lti_attempts',
  'lti_keys',
  'lti_nonces',
  'oidc_attempts',
  'receipt_keys',
];

/** Tables that organizations read and only work across them writes: a row serves several organizations. */
export const WRITTEN_ACROSS: readonly string[] = ['users'];

/** Schema of the job queue. It belongs to no organization. */
export const JOB_SCHEMA = 'pgboss';

/** Tables that neither role may write. */
export const READ_ONLY_TABLES: readonly string[] = ['migrations'];

const TENANT_POLICY = 'bellwether_organization';
const READING_POLICY = 'bellwether_reading';
const SERVICE_POLICY = 'bellwether_service';

/** A policy's comment is its condition as we wrote it: PostgreSQL stores a rewritten one. */
const TABLES = `
  SELECT c.relname AS name, quote_ident(c.relname) AS quoted, c.relrowsecurity AS enabled,
    ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND NOT a.attisdropped) AS columns,
    (SELECT obj_description(p.oid, 'pg_policy') FROM pg_policy p
     WHERE p.polrelid = c.oid AND p.polname = '${TENANT_POLICY}') AS condition,
    EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = '${SERVICE_POLICY}') AS "isServed",
    has_table_privilege('${SERVICE_ROLE}', c.oid, 'SELECT') AS "isGranted",
    has_table_privilege('${TENANT_ROLE}', c.oid, 'INSERT, UPDATE, DELETE') AS "isWritable"
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname`;

const POLICIES = `
  SELECT format('DROP POLICY %I ON %I.%I', p.polname, n.nspname, c.relname) AS statement
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND p.polname IN ('${TENANT_POLICY}', '${READING_POLICY}', '${SERVICE_POLICY}')`;

/** Null without the schema: the first server makes it. */
const JOBS = `
  SELECT (SELECT NOT has_schema_privilege('${SERVICE_ROLE}', oid, 'USAGE') FROM pg_namespace WHERE nspname = '${JOB_SCHEMA}')
    AS missing`;

/** Lets work across organizations use the job queue. */
export const GRANT_JOBS = `
  GRANT USAGE ON SCHEMA ${JOB_SCHEMA} TO ${SERVICE_ROLE};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${JOB_SCHEMA} TO ${SERVICE_ROLE}`;

const SEQUENCES = `
  SELECT bool_and(has_sequence_privilege('${SERVICE_ROLE}', c.oid, 'USAGE')) IS FALSE AS missing FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'S'`;

interface TableState {
  readonly name: string;
  readonly quoted: string;
  readonly enabled: boolean;
  readonly columns: readonly string[];
  readonly condition: string | null;
  readonly isServed: boolean;
  readonly isGranted: boolean;
  /** The role of organizations may change rows, not only read them. */
  readonly isWritable: boolean;
}

/** `commands` are for an operator whose role may create roles. */
export type RowSecurityState =
  | {
      readonly enforced: true;
      /** Why the login of the service could leave its roles; empty for one that cannot. */
      readonly weaknesses: readonly string[];
    }
  | { readonly enforced: false; readonly reason: string; readonly commands: readonly string[] };

/** Condition of the table's policy; null for a table of the whole installation. */
const conditionOf = ({ name, columns }: TableState): string | null =>
  BY_CONDITION[name] ?? (columns.includes('organization_id') ? BY_COLUMN : null);

/** Condition of a second policy for reading. An older schema may lack its column. */
function readableOf({ name, columns }: TableState): string | undefined {
  const readable = ALSO_READABLE_BY[name];
  return readable !== undefined && columns.includes(readable.column) ? readable.condition : undefined;
}

/** Tables that are neither of an organization nor listed as of the installation. */
export async function unplacedTables(dataSource: DataSource): Promise<string[]> {
  const listed = [...INSTALLATION_TABLES, ...READ_ONLY_TABLES];
  const tables = await dataSource.query<TableState[]>(TABLES);
  return tables.filter((table) => conditionOf(table) === null && !listed.includes(table.name)).map(({ name }) => name);
}

/**
 * Creates roles, policies and privileges that are missing, as the owner of the tables. `login` is that of the service.
 * Without the right to create roles it changes nothing; `rowSecurityState` says so. Each table has a transaction of its
 * own: one over all tables would deadlock with requests of running replicas. A table is granted with its policies.
 */
export async function enforceRowSecurity(owner: DataSource, login: string): Promise<void> {
  if (!(await hasTables(owner))) return;
  const { usable } = await owner.transaction((tx) => prepareRoles(tx, login));
  if (!usable) return;
  const [sequences] = await owner.query<[{ missing: boolean }]>(SEQUENCES);
  const [jobs] = await owner.query<[{ missing: boolean | null }]>(JOBS);
  const changes = [
    ...(await owner.query<TableState[]>(TABLES)).map(statementsFor),
    sequences.missing ? [`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${TENANT_ROLE}, ${SERVICE_ROLE}`] : [],
    jobs.missing === true ? [GRANT_JOBS] : [],
  ].filter((statements) => statements.length > 0);
  if (changes.length === 0) return;
  for (const statements of [[`GRANT USAGE ON SCHEMA public TO ${TENANT_ROLE}, ${SERVICE_ROLE}`], ...changes]) {
    await changeTable(owner, statements);
  }
}

const changeTable = (owner: DataSource, statements: readonly string[]): Promise<unknown> =>
  untilLocked(() => owner.transaction((tx) => tx.query([SHORT_WAITS, ...statements].join(';\n'))));

/** The login of a data source. */
export async function loginOf(dataSource: DataSource): Promise<string> {
  const [{ login }] = await dataSource.query<[{ login: string }]>('SELECT session_user AS login');
  return login;
}

/** Tables with rows of organizations. */
export async function protectedTables(dataSource: DataSource): Promise<string[]> {
  return (await dataSource.query<TableState[]>(TABLES))
    .filter((table) => conditionOf(table) !== null)
    .map(({ name }) => name);
}

/** Before a schema change that takes tables away: policies of other tables may refer to them. */
export async function dropPolicies(dataSource: DataSource): Promise<void> {
  for (const { statement } of await dataSource.query<{ statement: string }[]>(POLICIES)) {
    await changeTable(dataSource, [statement]);
  }
}

/** Whether statements of this login can be bound to an organization. */
export async function rowSecurityState(dataSource: DataSource, login: string): Promise<RowSecurityState> {
  if (!(await hasTables(dataSource))) return { enforced: false, reason: 'there are no tables yet', commands: [] };
  const [roles] = await dataSource.query<[RolesState]>(ROLES_STATE, [login]);
  if (!roles.usable) return absent(roles);
  if (!roles.harmless) {
    const commands = [TENANT_ROLE, SERVICE_ROLE].map((role) => `ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS`);
    return { enforced: false, reason: 'a role of the service bypasses policies', commands };
  }
  const open = (await dataSource.query<TableState[]>(TABLES)).filter(
    (table) => table.isGranted && conditionOf(table) !== null && !(table.enabled && table.condition !== null),
  );
  const [{ granted }] = await dataSource.query<[{ granted: boolean }]>(GRANTED);
  if (granted && open.length === 0) {
    const [{ weaknesses }] = await dataSource.query<[{ weaknesses: string[] }]>(WEAKNESSES, [login]);
    return { enforced: true, weaknesses };
  }
  const which = granted
    ? `without policies: ${open.map(({ name }) => name).join(', ')}`
    : 'the roles have no rights yet';
  return { enforced: false, reason: `${which}; apply migrations as the owner of the tables`, commands: [] };
}

export function warnAbsent({ reason, commands }: Extract<RowSecurityState, { enforced: false }>): void {
  const advice = commands.length === 0 ? '' : ` As a role that may create roles, run: ${commands.join('; ')};`;
  new Logger('Database').warn(`Row-level security is off: ${reason}.${advice}`);
}

const WEAKNESSES = `
  SELECT array_remove(ARRAY[
    CASE WHEN rolsuper THEN 'is a superuser' END,
    CASE WHEN rolbypassrls THEN 'bypasses policies' END,
    CASE WHEN EXISTS (SELECT FROM pg_class WHERE relowner = login.oid AND relnamespace = 'public'::regnamespace)
      THEN 'owns tables' END,
    CASE WHEN rolinherit AND NOT rolsuper THEN 'inherits the rights of its roles' END
  ], NULL) AS weaknesses FROM pg_roles login WHERE rolname = $1`;

async function hasTables(dataSource: DataSource): Promise<boolean> {
  const [{ found }] = await dataSource.query<[{ found: boolean }]>(
    `SELECT to_regclass('organizations') IS NOT NULL AS found`,
  );
  return found;
}

const GRANTED = `SELECT has_table_privilege('${TENANT_ROLE}', 'organizations', 'SELECT') AS granted`;

async function prepareRoles(tx: EntityManager, login: string): Promise<RolesState> {
  const [before] = await tx.query<[RolesState]>(ROLES_STATE, [login]);
  if (before.usable || !before.mayCreate) return before;
  try {
    // A savepoint: since PostgreSQL 16, a role that another one created may be refused.
    await tx.transaction(async (inner) => {
      await inner.query(createRoles);
      await inner.query(`GRANT ${TENANT_ROLE}, ${SERVICE_ROLE} TO ${before.login}`);
    });
  } catch (error) {
    new Logger('Database').warn({ msg: 'the roles of the service could not be created', err: error });
    return before;
  }
  const [after] = await tx.query<[RolesState]>(ROLES_STATE, [login]);
  return after;
}

function absent({ login, exist }: RolesState): Extract<RowSecurityState, { enforced: false }> {
  const [app, service, grant] = roleStatements(login);
  const commands = [...(exist ? [] : [app, service]), grant].filter((command) => command !== undefined);
  const reason = exist ? `${login} may not use the roles of the service` : 'the roles of the service do not exist';
  return { enforced: false, reason, commands };
}

function grantsFor({ name, quoted, isGranted, isWritable }: TableState, condition: string | null): string[] {
  const all = 'SELECT, INSERT, UPDATE, DELETE';
  if (condition !== null && WRITTEN_ACROSS.includes(name)) {
    return [
      ...(isGranted
        ? []
        : [`GRANT SELECT ON ${quoted} TO ${TENANT_ROLE}`, `GRANT ${all} ON ${quoted} TO ${SERVICE_ROLE}`]),
      ...(isWritable ? [`REVOKE INSERT, UPDATE, DELETE ON ${quoted} FROM ${TENANT_ROLE}`] : []),
    ];
  }
  const roles = condition === null ? SERVICE_ROLE : `${TENANT_ROLE}, ${SERVICE_ROLE}`;
  return isGranted ? [] : [`GRANT ${all} ON ${quoted} TO ${roles}`];
}

function statementsFor(table: TableState): string[] {
  const { name, quoted, enabled, isServed, isGranted } = table;
  const condition = conditionOf(table);
  const readable = readableOf(table);
  if (READ_ONLY_TABLES.includes(name)) {
    return isGranted ? [] : [`GRANT SELECT ON ${quoted} TO PUBLIC`];
  }
  const grant = grantsFor(table, condition);
  if (condition === null) return grant;
  return [
    ...grant,
    ...(enabled ? [] : [`ALTER TABLE ${quoted} ENABLE ROW LEVEL SECURITY`]),
    ...(isServed ? [] : [`CREATE POLICY ${SERVICE_POLICY} ON ${quoted} TO ${SERVICE_ROLE} USING (true)`]),
    ...(table.condition === condition + (readable ?? '')
      ? []
      : [
          `DROP POLICY IF EXISTS ${TENANT_POLICY} ON ${quoted}`,
          `CREATE POLICY ${TENANT_POLICY} ON ${quoted} TO ${TENANT_ROLE} USING (${condition})`,
          ...(readable === undefined
            ? []
            : [
                `DROP POLICY IF EXISTS ${READING_POLICY} ON ${quoted}`,
                `CREATE POLICY ${READING_POLICY} ON ${quoted} FOR SELECT TO ${TENANT_ROLE} USING (${readable})`,
              ]),
          `COMMENT ON POLICY ${TENANT_POLICY} ON ${quoted} IS '${(condition + (readable ?? '')).replaceAll("'", "''")}'`,
        ]),
  ];
}
