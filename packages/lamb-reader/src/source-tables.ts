import { NAME_BYTES, type SourceRow } from './source-rows';

/** LAMB deletes an assistant by giving it to this owner. */
const DELETED_OWNER = 'deleted_assistant@owi.com';
const STATUSES = ['active', 'suspended', 'trial'] as const;
const ROLES = ['owner', 'admin', 'member'] as const;

interface Field<T> {
  readonly column: string;
  /** An older LAMB may lack the column. */
  readonly isOptional: boolean;
  readonly read: (row: SourceRow) => T;
}

type Fields = Readonly<Record<string, Field<unknown>>>;

export interface TableDefinition<F extends Fields = Fields> {
  /** Orders the rows and names them in problems. */
  readonly key: string;
  /** An older LAMB may lack the table. */
  readonly isOptional?: boolean;
  readonly fields: F;
}

export type RowOf<Table> =
  Table extends TableDefinition<infer F>
    ? { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }
    : never;

const field = <T>(column: string, read: (row: SourceRow, column: string) => T): Field<T> => ({
  column,
  isOptional: false,
  read: (row) => read(row, column),
});
const optional = <T>(inner: Field<T>): Field<T> => ({ ...inner, isOptional: true });

const id = (column: string) => field(column, (row) => row.id(column));
const required = (column: string) => field(column, (row) => row.required(column));
const document = (column: string) => field(column, (row) => row.document(column));
/** Why documents of the row cannot be read; null when they can. The organization's report names the row. */
const unreadable = (...columns: readonly [string, ...string[]]) =>
  field(columns[0], (row): string | null => row.refusalOf(columns));
const flag = (column: string, fallback: boolean) => field(column, (row) => row.flag(column, fallback));
const number = (column: string) => field(column, (row) => row.numberOrNull(column));
const label = (column: string, fallback = '') => field(column, (row) => row.textOr(column, fallback, NAME_BYTES));
const description = optional(field('description', (row) => row.textOr('description', '')));

const define = <F extends Fields>(table: TableDefinition<F>): TableDefinition<F> => table;

/** LAMB's documented tables. It has no version table, so each column is looked for. */
export const TABLES = {
  organizations: define({
    key: 'id',
    fields: {
      id: id('id'),
      slug: required('slug'),
      name: field('name', (row) => row.textOr('name', row.required('slug'), NAME_BYTES)),
      isSystem: optional(flag('is_system', false)),
      /** An unknown status is read as `suspended`. */
      status: optional(field('status', statusOf)),
      /** Empty, with a problem, when it cannot be read. */
      config: field('config', (row) => row.json('config') ?? {}),
    },
  }),
  Creator_users: define({
    key: 'id',
    fields: {
      id: id('id'),
      organizationId: field('organization_id', (row) => row.idOrNull('organization_id')),
      email: label('user_email'),
      name: label('user_name'),
      enabled: optional(flag('enabled', true)),
      /** `creator`, `end_user` and others. */
      userType: optional(label('user_type', 'creator')),
      isSystemAdmin: optional(field('role', (row) => row.textOr('role', '', NAME_BYTES) === 'admin')),
    },
  }),
  organization_roles: define({
    key: 'rowid',
    fields: {
      role: field('role', roleOf),
      organizationId: id('organization_id'),
      userId: id('user_id'),
    },
  }),
  assistants: define({
    key: 'id',
    fields: {
      id: id('id'),
      ownerEmail: label('owner'),
      organizationId: id('organization_id'),
      name: label('name'),
      description,
      /** The text as stored; empty for NULL. */
      metadata: document('api_callback'),
      systemPrompt: document('system_prompt'),
      promptTemplate: document('prompt_template'),
      /** Ids, separated by commas. */
      ragCollections: document('RAG_collections'),
      unreadable: unreadable('api_callback', 'system_prompt', 'prompt_template', 'RAG_collections'),
      ragTopK: number('RAG_Top_k'),
      deleted: field('owner', (row) => row.document('owner').trim().toLowerCase() === DELETED_OWNER),
      /** Seconds since 1970. */
      createdAt: optional(number('created_at')),
      updatedAt: optional(number('updated_at')),
    },
  }),
  assistant_publish: define({
    key: 'assistant_id',
    fields: { consumer: label('oauth_consumer_name'), assistantId: field('assistant_id', publishedId) },
  }),
  assistant_shares: define({
    key: 'rowid',
    isOptional: true,
    fields: { assistantId: id('assistant_id'), userId: id('shared_with_user_id') },
  }),
  rubrics: define({
    key: 'id',
    isOptional: true,
    fields: {
      id: id('id'),
      rubricId: required('rubric_id'),
      organizationId: id('organization_id'),
      ownerEmail: label('owner_email'),
      title: label('title'),
      description,
      /** null when it cannot be read. */
      document: field('rubric_data', (row) => row.json('rubric_data')),
      isPublic: optional(flag('is_public', false)),
      isShowcase: optional(flag('is_showcase', false)),
    },
  }),
  prompt_templates: define({
    key: 'id',
    isOptional: true,
    fields: {
      id: id('id'),
      organizationId: id('organization_id'),
      ownerEmail: label('owner_email'),
      name: label('name'),
      description,
      systemPrompt: document('system_prompt'),
      promptTemplate: document('prompt_template'),
      unreadable: unreadable('system_prompt', 'prompt_template'),
      isShared: optional(flag('is_shared', false)),
    },
  }),
  /** Collections of the external knowledge-base server. */
  kb_registry: define({
    key: 'rowid',
    isOptional: true,
    fields: {
      collectionId: required('kb_id'),
      name: label('kb_name'),
      ownerUserId: id('owner_user_id'),
      organizationId: id('organization_id'),
      isShared: optional(flag('is_shared', false)),
    },
  }),
} as const;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

function statusOf(row: SourceRow): (typeof STATUSES)[number] {
  const status = row.oneOf('status', STATUSES);
  if (status !== null) return status;
  if (row.textOr('status', '') === '') return 'active';
  row.ignore('status', `is none of ${STATUSES.join(', ')}`);
  return 'suspended';
}

function roleOf(row: SourceRow): (typeof ROLES)[number] {
  const role = row.oneOf('role', ROLES);
  if (role === null) row.ignore('role', `is none of ${ROLES.join(', ')}; read as member`);
  return role ?? 'member';
}

/** null for an assistant that is no longer published: it has no consumer, or the word `null` in its place. */
function publishedId(row: SourceRow): number | null {
  const consumer = row.textOr('oauth_consumer_name', '', NAME_BYTES);
  return consumer === '' || consumer === 'null' ? null : row.id('assistant_id');
}
