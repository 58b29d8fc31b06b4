import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

interface Reference {
  readonly table: string;
  readonly columns: string[];
  readonly parent: string;
  readonly parentColumns: string[];
}

type Row = Record<string, string | null>;

const COLUMNS = `
  SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'migrations'
  ORDER BY c.oid, a.attnum`;
const REFERENCES = `
  SELECT k.conrelid::regclass::text AS table, k.confrelid::regclass::text AS parent,
    ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u (n, at)
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.at) AS columns,
    ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY u (n, at)
      JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY u.at) AS "parentColumns"
  FROM pg_constraint k WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace`;
const CHOICES = `
  SELECT k.conrelid::regclass::text AS table, pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k WHERE k.contype = 'c' AND k.connamespace = 'public'::regnamespace`;

/** Text that is easily lost on the way: quotes, escapes, other scripts, line ends, what looks like no value. */
const HARD_TEXT = `ñ 漢字 😀 "quoted" 'single' \\ \\N {a,"b"} (x,y)\t\r\n NULL $1 %s `;

const VALUES: Record<string, (n: number) => string> = {
  uuid: () => randomUUID(),
  boolean: (n) => String(n === 1),
  integer: (n) => String(n),
  bigint: (n) => String(9_007_199_254_740_993n + BigInt(n)),
  smallint: (n) => String(n),
  numeric: (n) => `${n}.10`,
  real: () => '0.1',
  'double precision': (n) => String(n / 3),
  jsonb: (n) => JSON.stringify({ n, big: [1e300, 0.1], text: HARD_TEXT, nested: { null: null } }),
  json: (n) => `{"a": ${n},  "a": 2}`,
  bytea: (n) => `\\x00ff5c27${n.toString(16).padStart(2, '0')}`,
  'timestamp with time zone': (n) => `2026-03-29 02:30:00.${String(100_000 + n)}+02`,
  'timestamp without time zone': (n) => `1999-12-31 23:59:59.${String(100_000 + n)}`,
  date: () => '2024-02-29',
  interval: (n) => `1 year ${n} days 00:00:01.5`,
  tsvector: (n) => `'a''b':${n}A 'word':2,3`,
  vector: (n) => `[0.1,${n},-3]`,
};

const valueOf = (type: string, n: number): string => {
  if (type.endsWith('[]')) return '{}';
  return VALUES[type]?.(n) ?? `${n} ${HARD_TEXT}`;
};

/** `status` of `CHECK ((status = ANY (ARRAY['pending'::text, …])))` is the first of them. */
function choiceOf(definitions: readonly string[], column: string): string | undefined {
  for (const definition of definitions) {
    const [, choice] = new RegExp(`\\(${column} = ANY \\(ARRAY\\['([^']+)'`).exec(definition) ?? [];
    if (choice !== undefined) return choice;
  }
  return undefined;
}

/** Whether `CHECK ((flag OR (column IS NULL)))` wants no value: flags are false from the second row on. */
const wantsNone = (definitions: readonly string[], column: string, n: number): boolean =>
  n > 1 && definitions.some((definition) => new RegExp(`\\(\\w+ OR \\(${column} IS NULL\\)\\)`).test(definition));

export interface Filled {
  /** Tables in the order in which they could be filled. */
  readonly tables: readonly string[];
}

/**
 * Puts rows into every table of the service, parents first, with values of each column's own type; a table that refers
 * to itself refers to nothing. Tables with rows are left as they are.
 */
export async function fillTables(dataSource: DataSource, rowsEach = 2): Promise<Filled> {
  const columns = await dataSource.query<Column[]>(COLUMNS);
  const references = (await dataSource.query<Reference[]>(REFERENCES)).filter(({ table, parent }) => table !== parent);
  const choices = await dataSource.query<{ table: string; definition: string }[]>(CHOICES);
  const waiting = new Set(columns.map(({ table }) => table));
  const full = await fullTables(dataSource, [...waiting]);
  const done: string[] = [];
  while (waiting.size > 0) {
    const next = [...waiting].find((table) =>
      references.every((reference) => reference.table !== table || !waiting.has(reference.parent)),
    );
    if (next === undefined) throw new Error(`Tables that refer to each other: ${[...waiting].join(', ')}`);
    waiting.delete(next);
    done.push(next);
    if (full.includes(next)) continue;
    await fillTable(dataSource, next, {
      rowsEach,
      columns: columns.filter(({ table }) => table === next),
      references: references.filter(({ table }) => table === next),
      checks: choices.filter(({ table }) => table === next).map(({ definition }) => definition),
    });
  }
  return { tables: done };
}

async function fullTables(dataSource: DataSource, tables: readonly string[]): Promise<string[]> {
  const questions = tables.map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT FROM "${table}")`);
  const found = await dataSource.query<{ name: string }[]>(questions.join(' UNION ALL '));
  return found.map(({ name }) => name);
}

interface Plan {
  readonly rowsEach: number;
  readonly columns: readonly Column[];
  readonly references: readonly Reference[];
  readonly checks: readonly string[];
}

async function fillTable(dataSource: DataSource, table: string, plan: Plan): Promise<void> {
  for (let n = 1; n <= plan.rowsEach; n += 1) {
    const row: Row = {};
    for (const { column, type } of plan.columns) {
      const isNone = wantsNone(plan.checks, column, n);
      row[column] = isNone ? null : (choiceOf(plan.checks, column) ?? valueOf(type, n));
    }
    for (const { parent, columns, parentColumns } of plan.references) {
      const names = parentColumns.map((name) => `"${name}"::text`).join(', ');
      const order = `ORDER BY 1 OFFSET ${n - 1} LIMIT 1`;
      const [found] = await dataSource.query<Row[]>(`SELECT ${names} FROM ${parent} ${order}`);
      columns.forEach((column, at) => (row[column] = found?.[parentColumns[at] ?? ''] ?? null));
    }
    const names = plan.columns.map(({ column }) => `"${column}"`).join(', ');
    const places = plan.columns.map(({ type }, at) => `$${at + 1}::text::${type}`).join(', ');
    // A job of the service may have written the same row meanwhile.
    await dataSource.query(
      `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE VALUES (${places}) ON CONFLICT DO NOTHING`,
      plan.columns.map(({ column }) => row[column] ?? null),
    );
  }
}
