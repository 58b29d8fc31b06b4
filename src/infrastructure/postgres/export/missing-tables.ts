import type { Client } from 'pg';
import type { Table } from './catalogue';

interface Definition {
  readonly columns: readonly { readonly line: string; readonly type: string; readonly extension: string | null }[];
  readonly options: string | null;
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
}

const LINES = `
  SELECT quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS line,
    format_type(a.atttypid, NULL) AS type,
    (SELECT e.extname FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
      WHERE d.objid = a.atttypid AND d.deptype = 'e') AS extension
  FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;
const REST = `
  SELECT array_to_string(c.reloptions, ', ') AS options,
    ARRAY(SELECT format('ADD CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)) FROM pg_constraint k
      WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'c', 'f') ORDER BY k.contype <> 'p', k.oid) AS constraints,
    ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
      WHERE i.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)) AS indexes
  FROM pg_class c WHERE c.oid = $1::regclass`;

async function definitionOf(client: Client, table: Table): Promise<Definition> {
  const { rows: columns } = await client.query<Definition['columns'][number]>(LINES, [table.name]);
  const { rows } = await client.query<Omit<Definition, 'columns'>>(REST, [table.name]);
  const rest = rows[0];
  if (rest === undefined) throw new Error(`${table.label} is gone`);
  return { columns, ...rest };
}

/**
 * Makes a table that the service itself makes, outside the migrations, where the server has the extension.
 * @throws with the name of the missing extension.
 */
export async function makeTable(from: Client, to: Client, table: Table): Promise<void> {
  const { columns, options, constraints, indexes } = await definitionOf(from, table);
  for (const { type, extension } of columns) {
    const { rows } = await to.query<{ known: boolean }>('SELECT to_regtype($1) IS NOT NULL AS known', [type]);
    if (rows[0]?.known !== true) await makeExtension(to, extension ?? type, table);
  }
  const settings = options === null || options === '' ? '' : ` WITH (${options})`;
  await to.query(`CREATE TABLE ${table.name} (${columns.map(({ line }) => line).join(', ')})${settings}`);
  for (const constraint of constraints) await to.query(`ALTER TABLE ${table.name} ${constraint}`);
  for (const index of indexes) await to.query(index);
}

async function makeExtension(to: Client, extension: string, { label }: Table): Promise<void> {
  const { rows } = await to.query<{ known: boolean }>(
    'SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = $1) AS known',
    [extension],
  );
  if (rows[0]?.known !== true) {
    throw new Error(`${label} needs the extension "${extension}", which that server does not have. Install it there.`);
  }
  await to.query(`CREATE EXTENSION IF NOT EXISTS "${extension.replaceAll('"', '""')}"`).catch((error: unknown) => {
    throw new Error(
      `${label} needs the extension "${extension}", which this role may not make there. ` +
        `Have a superuser run CREATE EXTENSION ${extension} in that database.`,
      { cause: error },
    );
  });
}
