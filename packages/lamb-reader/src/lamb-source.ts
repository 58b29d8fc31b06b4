import { AppError } from '@bellwether/kernel';
import type { Database } from 'node-sqlite3-wasm';
import type { LambSource } from './lamb-source.types';
import { readActivities, readKeys, readLtiPeople } from './lti-activities';
import { countNotTaken } from './not-taken';
import type { LambProblem } from './problem.types';
import { quoted, readRows } from './source-rows';
import { type RowOf, TABLES, type TableDefinition, type TableName } from './source-tables';
import { type SourceSchema, checkTables, findSchema, withSqliteFile } from './sqlite-file';

const COLUMN = 'password_hash';

/**
 * Hashes of passwords by the source's user id, of people who sign in with one. Read only when the operator takes passwords
 * over.
 * @throws {AppError} `validation_failed` for a LAMB that stores none
 */
export function readLambPasswords(file: string): ReadonlyMap<number, string> {
  return withSqliteFile(file, (database) => {
    const { prefix } = findSchema(database);
    const table = `${prefix}Creator_users`;
    const columns = new Set(database.all(`PRAGMA table_info(${quoted(table)})`).map((row) => row['name']));
    if (!columns.has(COLUMN)) {
      const message = `${table} has no ${COLUMN}: in this version of LAMB the passwords are in Open WebUI's database`;
      throw new AppError('validation_failed', `--passwords-until: ${message}; use sign-in:links instead`);
    }
    return hashesOf(database, table);
  });
}

function hashesOf(database: Database, table: string): ReadonlyMap<number, string> {
  const rows = database.all(`SELECT id, ${COLUMN} FROM ${quoted(table)} ORDER BY id`);
  const hashes = new Map<number, string>();
  for (const { id, [COLUMN]: hash } of rows) {
    if (typeof id === 'number' && typeof hash === 'string' && hash !== '') hashes.set(id, hash);
  }
  return hashes;
}

type Rows<Name extends TableName> = readonly RowOf<(typeof TABLES)[Name]>[];

/** Keys are not always declared as such: a second row of the same key is left out. */
function distinct<T>(
  table: TableName,
  rows: readonly T[],
  keyOf: (row: T) => string | number,
  problems: LambProblem[],
): readonly T[] {
  const seen = new Set<string | number>();
  return rows.filter((row) => {
    const key = keyOf(row);
    if (!seen.has(key)) return seen.add(key);
    problems.push({ code: 'row.left_out', table, row: String(key), path: '', message: 'exists twice' });
    return false;
  });
}

function read(database: Database, { prefix, tables, problems: absent }: SourceSchema): LambSource {
  const problems: LambProblem[] = [...absent];
  const all = <Name extends TableName>(name: Name): Rows<Name> => {
    const { fields }: TableDefinition = TABLES[name];
    const found = readRows(database, tables.get(name), (row) =>
      Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.read(row)])),
    );
    problems.push(...found.problems);
    return found.rows as unknown as Rows<Name>;
  };
  const unique = <Name extends TableName>(name: Name, keyOf: (row: Rows<Name>[number]) => string | number) =>
    distinct(name, all(name), keyOf, problems);
  const published = new Set(all('assistant_publish').map(({ assistantId }) => assistantId));
  const organizations = unique('organizations', ({ id }) => id);
  const assistants = unique('assistants', ({ id }) => id).map((row) => ({ ...row, published: published.has(row.id) }));
  const rubrics = unique('rubrics', ({ id }) => id);
  const activities = readActivities(database, prefix);
  const keys = readKeys(database, prefix);
  return {
    prefix,
    problems,
    organizations,
    users: unique('Creator_users', ({ id }) => id),
    roles: unique('organization_roles', ({ organizationId, userId }) => `${organizationId}/${userId}`),
    assistants,
    shares: unique('assistant_shares', ({ assistantId, userId }) => `${assistantId}/${userId}`),
    rubrics,
    promptTemplates: unique('prompt_templates', ({ id }) => id),
    collections: unique('kb_registry', ({ collectionId }) => collectionId),
    activities,
    keys,
    ltiPeople: readLtiPeople(database, prefix),
    notTaken: countNotTaken(database, prefix, { organizations, assistants, rubrics, activities, keys }),
  };
}

/**
 * Reads all rows of a LAMB database that an import needs, and none of its chats and logs. The file is opened for reading
 * only and closed again.
 * @throws {AppError} `validation_failed` with a sentence for the operator when it is no LAMB database that can be read
 */
export function openLambSource(file: string): LambSource {
  return withSqliteFile(file, (database) => {
    const schema = findSchema(database);
    checkTables(database, schema);
    return read(database, schema);
  });
}
