import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Database } from 'node-sqlite3-wasm';

/** Columns of the knowledge-base server's database as LAMB documents them. Enumerations are stored by their names. */
const TABLES = {
  collections: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    name: 'VARCHAR(255) NOT NULL',
    description: 'TEXT',
    creation_date: `DATETIME DEFAULT '2025-06-01 10:00:00'`,
    owner: 'VARCHAR(255) NOT NULL',
    visibility: `VARCHAR(7) NOT NULL DEFAULT 'PRIVATE'`,
    embeddings_model: `JSON DEFAULT '{"model": "nomic-embed-text", "vendor": "ollama", "apikey": "secret-of-embeddings"}'`,
    chromadb_uuid: 'VARCHAR(36)',
  },
  file_registry: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    collection_id: 'INTEGER NOT NULL',
    original_filename: 'VARCHAR(255) NOT NULL',
    file_path: 'VARCHAR(255) NOT NULL',
    file_url: `VARCHAR(255) NOT NULL DEFAULT ''`,
    file_size: 'INTEGER NOT NULL DEFAULT 0',
    content_type: 'VARCHAR(100)',
    plugin_name: `VARCHAR(100) NOT NULL DEFAULT 'simple_ingest'`,
    plugin_params: `JSON NOT NULL DEFAULT '{}'`,
    status: `VARCHAR(10) NOT NULL DEFAULT 'COMPLETED'`,
    document_count: 'INTEGER NOT NULL DEFAULT 0',
    created_at: `DATETIME NOT NULL DEFAULT '2025-06-01 10:00:00'`,
    updated_at: `DATETIME NOT NULL DEFAULT '2025-06-01 10:00:00'`,
    processing_started_at: 'DATETIME',
    processing_completed_at: 'DATETIME',
    progress_current: 'INTEGER NOT NULL DEFAULT 0',
    progress_total: 'INTEGER NOT NULL DEFAULT 0',
    progress_message: 'VARCHAR(255)',
    error_message: 'TEXT',
    error_details: 'JSON',
    processing_stats: 'JSON',
    owner: `VARCHAR(255) NOT NULL DEFAULT '1'`,
  },
} as const;

type Row = Readonly<Record<string, string | number | null>>;

export interface KbContent {
  readonly collections: readonly Row[];
  readonly file_registry: readonly Row[];
  /** Texts by path below `static/`. */
  readonly originals: Readonly<Record<string, string | Buffer>>;
  /** Targets of symbolic links by path below `static/`. */
  readonly links?: Readonly<Record<string, string>>;
  /** A column that this version of the import does not know, as `table.column`. */
  readonly unknownColumns?: readonly string[];
  readonly without?: readonly string[];
}

/** Path as the server stores it in its container. */
export const storedPath = (path: string): string => `/opt/lamb-kb-server/static/${path}`;

/** A data folder of LAMB's knowledge-base server. The caller removes it with `remove`. */
export function buildKbData(content: KbContent): {
  readonly folder: string;
  write(content: KbContent): void;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'bw-lamb-kb-'));
  const write = (next: KbContent): void => writeKbData(folder, next);
  write(content);
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function writeKbData(
  folder: string,
  { originals, links = {}, unknownColumns = [], without = [], ...rows }: KbContent,
): void {
  rmSync(join(folder, 'static'), { recursive: true, force: true });
  mkdirSync(join(folder, 'data'), { recursive: true });
  mkdirSync(join(folder, 'static'), { recursive: true });
  for (const [path, bytes] of Object.entries(originals)) {
    mkdirSync(dirname(join(folder, 'static', path)), { recursive: true });
    writeFileSync(join(folder, 'static', path), bytes);
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(folder, 'static', path)), { recursive: true });
    symlinkSync(target, join(folder, 'static', path));
  }
  const file = join(folder, 'data', 'lamb-kb-server.db');
  rmSync(file, { force: true });
  const database = new Database(file);
  try {
    for (const [table, columns] of Object.entries(TABLES)) {
      const declared = Object.entries(columns).filter(([column]) => !without.includes(`${table}.${column}`));
      const more = unknownColumns.filter((name) => name.startsWith(`${table}.`)).map((name) => name.split('.')[1]);
      const list = [
        ...declared.map(([column, type]) => `"${column}" ${type}`),
        ...more.map((column) => `"${column}" TEXT`),
      ];
      database.exec(`CREATE TABLE ${table} (${list.join(', ')})`);
      for (const row of rows[table as keyof typeof TABLES]) {
        const names = Object.keys(row);
        const places = names.map(() => '?').join(', ');
        database.run(
          `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${places})`,
          names.map((name) => row[name] ?? null),
        );
      }
    }
  } finally {
    database.close();
  }
}
