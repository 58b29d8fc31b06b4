import { rmSync } from 'node:fs';
import { Database } from 'node-sqlite3-wasm';

/**
 * Columns of the tables of a LAMB database as LAMB documents them, with its defaults. Constraints between rows are left
 * out on purpose: databases in the wild are older than some of them, and the traps need space.
 */
const TABLES = {
  organizations: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    slug: 'TEXT NOT NULL',
    name: 'TEXT NOT NULL',
    is_system: 'BOOLEAN DEFAULT FALSE',
    status: `TEXT DEFAULT 'active'`,
    config: 'JSON NOT NULL',
    created_at: 'INTEGER NOT NULL DEFAULT 1750000000',
    updated_at: 'INTEGER NOT NULL DEFAULT 1750000000',
  },
  Creator_users: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    organization_id: 'INTEGER',
    user_email: 'TEXT NOT NULL',
    user_name: 'TEXT NOT NULL',
    user_type: `TEXT NOT NULL DEFAULT 'creator'`,
    user_config: 'JSON',
    enabled: 'BOOLEAN NOT NULL DEFAULT 1',
    lti_user_id: 'TEXT',
    auth_provider: `TEXT NOT NULL DEFAULT 'password'`,
    password_hash: 'TEXT',
    role: `TEXT NOT NULL DEFAULT 'user'`,
    created_at: 'INTEGER NOT NULL DEFAULT 1750000000',
    updated_at: 'INTEGER NOT NULL DEFAULT 1750000000',
  },
  organization_roles: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    organization_id: 'INTEGER NOT NULL',
    user_id: 'INTEGER NOT NULL',
    role: 'TEXT NOT NULL',
    created_at: 'INTEGER NOT NULL DEFAULT 1750000000',
    updated_at: 'INTEGER NOT NULL DEFAULT 1750000000',
  },
  assistants: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    organization_id: 'INTEGER NOT NULL',
    name: 'TEXT NOT NULL',
    description: 'TEXT',
    owner: 'TEXT NOT NULL',
    api_callback: 'TEXT',
    system_prompt: 'TEXT',
    prompt_template: 'TEXT',
    RAG_endpoint: 'TEXT',
    RAG_Top_k: 'INTEGER',
    RAG_collections: 'TEXT',
    pre_retrieval_endpoint: 'TEXT',
    post_retrieval_endpoint: 'TEXT',
    created_at: 'INTEGER NOT NULL DEFAULT 1750000000',
    updated_at: 'INTEGER NOT NULL DEFAULT 1760000000',
  },
  assistant_publish: {
    assistant_id: 'INTEGER PRIMARY KEY',
    assistant_name: `TEXT NOT NULL DEFAULT ''`,
    assistant_owner: `TEXT NOT NULL DEFAULT ''`,
    group_id: `TEXT NOT NULL DEFAULT ''`,
    group_name: `TEXT NOT NULL DEFAULT ''`,
    oauth_consumer_name: 'TEXT UNIQUE',
    created_at: 'INTEGER NOT NULL DEFAULT 1750000000',
  },
  assistant_shares: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    assistant_id: 'INTEGER NOT NULL',
    shared_with_user_id: 'INTEGER NOT NULL',
    shared_by_user_id: 'INTEGER NOT NULL DEFAULT 1',
    shared_at: 'INTEGER NOT NULL DEFAULT 1750000000',
  },
  rubrics: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    rubric_id: 'TEXT NOT NULL',
    organization_id: 'INTEGER NOT NULL',
    owner_email: 'TEXT NOT NULL',
    title: 'TEXT NOT NULL',
    description: 'TEXT',
    rubric_data: 'JSON NOT NULL',
    is_public: 'BOOLEAN DEFAULT FALSE',
    is_showcase: 'BOOLEAN DEFAULT FALSE',
    parent_rubric_id: 'TEXT',
    created_at: 'INTEGER NOT NULL DEFAULT 1750000000',
    updated_at: 'INTEGER NOT NULL DEFAULT 1750000000',
  },
  prompt_templates: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    organization_id: 'INTEGER NOT NULL',
    owner_email: 'TEXT NOT NULL',
    name: 'TEXT NOT NULL',
    description: 'TEXT',
    system_prompt: 'TEXT',
    prompt_template: 'TEXT',
    is_shared: 'BOOLEAN DEFAULT FALSE',
    metadata: 'JSON',
    created_at: 'INTEGER NOT NULL DEFAULT 1750000000',
    updated_at: 'INTEGER NOT NULL DEFAULT 1750000000',
  },
  kb_registry: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    kb_id: 'TEXT NOT NULL UNIQUE',
    kb_name: 'TEXT NOT NULL',
    owner_user_id: 'INTEGER NOT NULL',
    organization_id: 'INTEGER NOT NULL',
    is_shared: 'BOOLEAN DEFAULT FALSE',
    metadata: 'JSON',
    created_at: 'INTEGER NOT NULL DEFAULT 1750000000',
    updated_at: 'INTEGER NOT NULL DEFAULT 1750000000',
  },
  lamb_chats: { id: 'INTEGER PRIMARY KEY AUTOINCREMENT', assistant_id: 'INTEGER', chat: 'JSON' },
  lti_activities: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    resource_link_id: 'TEXT',
    organization_id: 'INTEGER',
    context_id: 'TEXT',
    context_title: 'TEXT',
    activity_name: 'TEXT',
    owner_email: `TEXT NOT NULL DEFAULT ''`,
    chat_visibility_enabled: 'INTEGER NOT NULL DEFAULT 0',
    activity_type: `TEXT NOT NULL DEFAULT 'chat'`,
    status: `TEXT NOT NULL DEFAULT 'active'`,
  },
  lti_activity_assistants: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    activity_id: 'INTEGER',
    assistant_id: 'INTEGER',
  },
  lti_activity_users: { id: 'INTEGER PRIMARY KEY AUTOINCREMENT', user_email: 'TEXT', activity_id: 'INTEGER' },
  lti_users: { id: 'INTEGER PRIMARY KEY AUTOINCREMENT', user_email: 'TEXT', assistant_id: 'TEXT' },
  lti_global_config: {
    id: 'INTEGER PRIMARY KEY CHECK (id = 1)',
    oauth_consumer_key: 'TEXT',
    oauth_consumer_secret: 'TEXT',
  },
  lti_creator_keys: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    organization_id: 'INTEGER',
    oauth_consumer_key: 'TEXT',
    oauth_consumer_secret: 'TEXT',
    enabled: 'BOOLEAN DEFAULT 1',
  },
  lti_identity_links: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    lms_user_id: 'TEXT',
    lms_email: 'TEXT',
    creator_user_id: 'INTEGER',
  },
  libraries: { id: 'TEXT PRIMARY KEY' },
  assistant_test_scenarios: { id: 'INTEGER PRIMARY KEY AUTOINCREMENT' },
  aac_sessions: { id: 'TEXT PRIMARY KEY' },
  config: { id: 'INTEGER PRIMARY KEY CHECK (id = 1)', config: 'JSON NOT NULL' },
} as const satisfies Record<string, Record<string, string>>;

export type LambTable = keyof typeof TABLES;
/** Objects are stored as JSON; bytes as the text that they spell, which may be none. */
export type LambValue = string | number | bigint | boolean | null | Uint8Array | object;
export type LambRow = Readonly<Record<string, LambValue>>;
export type LambContent = { readonly [table in LambTable]?: readonly LambRow[] };

export interface LambDatabaseOptions {
  /** Prefix of the table names. */
  readonly prefix?: string;
  /** Tables and columns (`assistants.RAG_Top_k`) that an other LAMB has not. */
  readonly without?: readonly string[];
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function bound(value: LambValue): string | number | bigint | boolean | null | Uint8Array {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}

function insert(database: Database, table: string, row: LambRow): void {
  const names = Object.keys(row);
  const values = names.map((name) => (row[name] instanceof Uint8Array ? 'CAST(? AS TEXT)' : '?'));
  database.run(
    `INSERT INTO ${quote(table)} (${names.map(quote).join(', ')}) VALUES (${values.join(', ')})`,
    names.map((name) => bound(row[name] ?? null)),
  );
}

/** Writes a LAMB database; a file of that name is replaced. */
export function buildLambDatabase(file: string, content: LambContent, options: LambDatabaseOptions = {}): void {
  const { prefix = 'LAMB_', without = [] } = options;
  rmSync(file, { force: true });
  const database = new Database(file);
  try {
    database.exec('BEGIN');
    for (const [table, columns] of Object.entries(TABLES)) {
      if (without.includes(table)) continue;
      const declared = Object.entries(columns).filter(([column]) => !without.includes(`${table}.${column}`));
      const list = declared.map(([column, declaration]) => `${quote(column)} ${declaration}`).join(', ');
      database.exec(`CREATE TABLE ${quote(prefix + table)} (${list})`);
      for (const row of content[table as LambTable] ?? []) insert(database, prefix + table, row);
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
