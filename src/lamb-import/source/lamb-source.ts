import type { Database } from 'node-sqlite3-wasm';
import { checkTables, findSchema, type SourceSchema, type TableName } from './lamb-schema';
import type {
  LambAssistant,
  LambCollection,
  LambOrganization,
  LambProblem,
  LambPromptTemplate,
  LambRole,
  LambRubric,
  LambShare,
  LambSource,
  LambUser,
} from './lamb-source.types';
import { NAME_BYTES, readRows, type SourceRow } from './source-rows';
import { withSqliteFile } from './sqlite-file';

/** LAMB deletes an assistant by giving it to this owner. */
const DELETED_OWNER = 'deleted_assistant@owi.com';
const STATUSES = ['active', 'suspended', 'trial'] as const;
const ROLES = ['owner', 'admin', 'member'] as const;

function statusOf(row: SourceRow): LambOrganization['status'] {
  const status = row.oneOf('status', STATUSES);
  if (status !== null) return status;
  if (row.textOr('status', '') === '') return 'active';
  row.ignore('status', `is none of ${STATUSES.join(', ')}`);
  return 'suspended';
}

const toOrganization = (row: SourceRow): LambOrganization => ({
  id: row.id('id'),
  slug: row.required('slug'),
  name: row.textOr('name', row.required('slug'), NAME_BYTES),
  isSystem: row.flag('is_system', false),
  status: statusOf(row),
  config: row.json('config') ?? {},
});

const toUser = (row: SourceRow): LambUser => ({
  id: row.id('id'),
  organizationId: row.idOrNull('organization_id'),
  email: row.required('user_email'),
  name: row.textOr('user_name', '', NAME_BYTES),
  enabled: row.flag('enabled', true),
  userType: row.textOr('user_type', 'creator', NAME_BYTES),
  isSystemAdmin: row.textOr('role', '', NAME_BYTES) === 'admin',
});

function toRole(row: SourceRow): LambRole {
  const role = row.oneOf('role', ROLES);
  if (role === null) row.ignore('role', `is none of ${ROLES.join(', ')}; read as member`);
  return { organizationId: row.id('organization_id'), userId: row.id('user_id'), role: role ?? 'member' };
}

const toAssistant =
  (published: ReadonlySet<number>) =>
  (row: SourceRow): LambAssistant => {
    const id = row.id('id');
    const ownerEmail = row.required('owner');
    return {
      id,
      organizationId: row.id('organization_id'),
      name: row.required('name'),
      description: row.textOr('description', ''),
      ownerEmail,
      metadata: row.text('api_callback'),
      systemPrompt: row.text('system_prompt'),
      promptTemplate: row.text('prompt_template'),
      ragCollections: row.text('RAG_collections'),
      ragTopK: row.numberOrNull('RAG_Top_k'),
      published: published.has(id),
      deleted: ownerEmail.trim().toLowerCase() === DELETED_OWNER,
      createdAt: row.numberOrNull('created_at'),
      updatedAt: row.numberOrNull('updated_at'),
    };
  };

/** A row without a consumer belongs to an assistant that was taken back; `null` as a word has been seen in its place. */
const toPublication = (row: SourceRow): number | null => {
  const consumer = row.textOr('oauth_consumer_name', '', NAME_BYTES);
  return consumer === '' || consumer === 'null' ? null : row.id('assistant_id');
};

const toShare = (row: SourceRow): LambShare => ({
  assistantId: row.id('assistant_id'),
  userId: row.id('shared_with_user_id'),
});

const toRubric = (row: SourceRow): LambRubric => ({
  id: row.id('id'),
  rubricId: row.required('rubric_id'),
  organizationId: row.id('organization_id'),
  ownerEmail: row.required('owner_email'),
  title: row.textOr('title', '', NAME_BYTES),
  description: row.textOr('description', ''),
  document: row.json('rubric_data'),
  isPublic: row.flag('is_public', false),
  isShowcase: row.flag('is_showcase', false),
});

const toPromptTemplate = (row: SourceRow): LambPromptTemplate => ({
  id: row.id('id'),
  organizationId: row.id('organization_id'),
  ownerEmail: row.required('owner_email'),
  name: row.required('name'),
  description: row.textOr('description', ''),
  systemPrompt: row.text('system_prompt'),
  promptTemplate: row.text('prompt_template'),
  isShared: row.flag('is_shared', false),
});

const toCollection = (row: SourceRow): LambCollection => ({
  collectionId: row.required('kb_id'),
  name: row.textOr('kb_name', '', NAME_BYTES),
  ownerUserId: row.id('owner_user_id'),
  organizationId: row.id('organization_id'),
  isShared: row.flag('is_shared', false),
});

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
    problems.push({ code: 'row.left_out', table, row: String(key), path: '', message: 'is there twice' });
    return false;
  });
}

function read(database: Database, schema: SourceSchema): LambSource {
  const problems: LambProblem[] = [...schema.problems];
  const rowsOf = <T>(table: TableName, toRow: (row: SourceRow) => T, keyOf: (row: T) => string | number) => {
    const found = readRows(database, schema.tables.get(table), toRow);
    problems.push(...found.problems);
    return distinct(table, found.rows, keyOf, problems);
  };
  const byId = ({ id }: { readonly id: number }): number => id;
  const publications = readRows(database, schema.tables.get('assistant_publish'), toPublication);
  problems.push(...publications.problems);
  const published = new Set(publications.rows.filter((id) => id !== null));
  return {
    prefix: schema.prefix,
    problems,
    organizations: rowsOf('organizations', toOrganization, byId),
    users: rowsOf('Creator_users', toUser, byId),
    roles: rowsOf('organization_roles', toRole, ({ organizationId, userId }) => `${organizationId}/${userId}`),
    assistants: rowsOf('assistants', toAssistant(published), byId),
    shares: rowsOf('assistant_shares', toShare, ({ assistantId, userId }) => `${assistantId}/${userId}`),
    rubrics: rowsOf('rubrics', toRubric, byId),
    promptTemplates: rowsOf('prompt_templates', toPromptTemplate, byId),
    collections: rowsOf('kb_registry', toCollection, ({ collectionId }) => collectionId),
  };
}

/**
 * Reads everything of a LAMB database that an import needs; its chats and logs are not looked at. The file is opened for
 * reading only and closed again.
 * @throws AppError `validation_failed` with a sentence for the operator when it is no LAMB database that can be read
 */
export function openLambSource(file: string): LambSource {
  return withSqliteFile(file, (database) => {
    const schema = findSchema(database);
    checkTables(database, schema);
    return read(database, schema);
  });
}
