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
