import { ORGANIZATION_SETTING } from './roles';

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
 * Tables without `organization_id`, and `runs`: the condition under which a row belongs to the current organization.
 * Subqueries obey the policies of the tables that they read.
 */
export const BY_CONDITION: Readonly<Record<string, string>> = {
  organizations: `id = ${CURRENT}`,
  runs: isCurrentOfRun('organization_id'),
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
