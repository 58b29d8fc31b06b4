import type { Client } from 'pg';

export const SCHEMAS = ['public', 'pgboss'] as const;

/** Every database has its own rows in these. */
export const BOOKKEEPING: readonly string[] = ['public.migrations', 'public.typeorm_metadata', 'pgboss.version'];

export interface Column {
  /** Quoted. */
  readonly name: string;
  readonly type: string;
}

export interface Table {
  readonly label: string;
  /** Schema and name, quoted. */
  readonly name: string;
  /** Without generated columns, which the database fills itself. */
  readonly columns: readonly Column[];
}

interface ColumnRow {
  readonly label: string;
  readonly relation: string;
  readonly column: string;
  readonly type: string;
}

/** Partitions are read and written through their parents. */
const COLUMNS = `
  SELECT n.nspname || '.' || c.relname AS label, format('%I.%I', n.nspname, c.relname) AS relation,
    quote_ident(a.attname) AS column, format_type(a.atttypid, NULL) AS type
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ORDER BY n.nspname DESC, c.relname, a.attnum`;

/** Every table of the service with its columns, in the order of creation. */
export async function tablesOf(client: Client): Promise<Table[]> {
  const { rows } = await client.query<ColumnRow>(COLUMNS, [SCHEMAS]);
  const tables = new Map<string, { label: string; name: string; columns: Column[] }>();
  for (const { label, relation, column, type } of rows) {
    const table = tables.get(label) ?? { label, name: relation, columns: [] };
    table.columns.push({ name: column, type });
    tables.set(label, table);
  }
  return [...tables.values()].filter(({ label }) => !BOOKKEEPING.includes(label));
}

/** Labels of tables that hold a row. */
export async function tablesWithRows(client: Client, tables: readonly Table[]): Promise<string[]> {
  const full: string[] = [];
  for (const { label, name } of tables) {
    const { rows } = await client.query<{ full: boolean }>(`SELECT EXISTS (SELECT FROM ${name}) AS full`);
    if (rows[0]?.full === true) full.push(label);
  }
  return full;
}

export interface Sequence {
  readonly name: string;
  /** Its next value. */
  readonly next: string;
}

const SEQUENCES = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name, s.seqincrement::text AS step
  FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY ($1) AND NOT EXISTS (
    SELECT FROM pg_depend d
    WHERE d.objid = c.oid AND d.refobjid = to_regclass('public.migrations') AND d.deptype IN ('a', 'i')
  )
  ORDER BY 1`;

export async function sequencesOf(client: Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string; step: string }>(SEQUENCES, [SCHEMAS]);
  const sequences: Sequence[] = [];
  for (const { name, step } of rows) {
    const { rows: state } = await client.query<{ next: string }>(
      `SELECT (last_value + CASE WHEN is_called THEN ${step} ELSE 0 END)::text AS next FROM ${name}`,
    );
    sequences.push({ name, next: state[0]?.next ?? '1' });
  }
  return sequences;
}

export interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const FOREIGN_KEYS = `
  SELECT format('%I.%I', n.nspname, c.relname) AS table, quote_ident(k.conname) AS name,
    pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE k.contype = 'f' AND k.conparentid = 0 AND n.nspname = ANY ($1)
  ORDER BY k.oid`;

export async function foreignKeysOf(client: Client): Promise<ForeignKey[]> {
  return (await client.query<ForeignKey>(FOREIGN_KEYS, [SCHEMAS])).rows;
}
