import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { RewriteSubject } from '../../src/assistants';

/** Definitions as older versions of the service and LAMB have left them, by turns; every tenth is empty. */
const SHAPES = [
  { prompt_processor: 'simple_augment', rag_processor: 'no_rag', odd_key: { kept: [1, null] } },
  { prompt_processor: 'simple_augment', rag_processor: 'rubric_rag', rubric_id: 7, rubric_format: 'json' },
  { prompt_processor: 'simple_augment', rag_processor: 'single_file_rag', file_path: '1/notes.md' },
  { prompt_processor: 'simple_augment', rag_processor: 'simple_rag' },
  { tools: [{ type: 'rubric', enabled: true, config: { rubric_id: 7 } }] },
];
const TEMPLATES = [
  'X {context} Y {user_input}',
  '{user_input}\n{context} \\frac{a}{b}',
  '',
  'only {user_input}',
  '{rubric} {user_input}',
];

const INSERT = `
  WITH owner AS (
    INSERT INTO users (id, email) VALUES ($2::uuid, 'owner-' || $2::uuid || '@example.edu') RETURNING id
  ), made AS (
    INSERT INTO assistants (organization_id, owner_id, type, name, prompt_template, metadata, rag_collections, rag_top_k)
    SELECT $1, (SELECT id FROM owner), type, name, prompt_template, metadata, rag_collections, rag_top_k
    FROM json_to_recordset($3::json)
      AS r(type text, name text, prompt_template text, metadata text, rag_collections text, rag_top_k int)
    RETURNING *
  )
  INSERT INTO assistant_versions (assistant_id, version, organization_id, reason, type, name, description,
    system_prompt, prompt_template, metadata, rag_collections, rag_top_k)
  SELECT id, 1, organization_id, 'create', type, name, '', '', prompt_template, metadata, rag_collections, rag_top_k FROM made`;

/** Straight into the tables. */
export async function storeAssistants(dataSource: DataSource, count: number, organizationId: string): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => ({
    type: n % 5 === 4 ? 'multi_tool' : 'classic',
    name: `a${n}`,
    prompt_template: TEMPLATES[n % 5],
    metadata: n % 10 === 0 ? '' : JSON.stringify({ connector: 'bypass', ...SHAPES[n % 5] }, null, n % 3),
    rag_collections: n % 5 === 3 ? 'one,two' : '',
    rag_top_k: 3,
  }));
  await dataSource.query(INSERT, [organizationId, randomUUID(), JSON.stringify(rows)]);
}

/** One assistant for each definition, in their order. */
export async function storeDefinitions(
  dataSource: DataSource,
  definitions: readonly RewriteSubject['definition'][],
  organizationId: string,
): Promise<void> {
  const rows = definitions.map(({ type, promptTemplate, metadata, ragCollections, ragTopK }, n) => ({
    type,
    name: `d${n}`,
    prompt_template: promptTemplate,
    metadata,
    rag_collections: ragCollections,
    rag_top_k: ragTopK,
  }));
  await dataSource.query(INSERT, [organizationId, randomUUID(), JSON.stringify(rows)]);
}

/** Bytes that a rollback must restore. */
export async function storedDocuments(dataSource: DataSource): Promise<string> {
  const rows: unknown = await dataSource.query(`
    SELECT id, type, name, description, system_prompt, prompt_template, metadata, rag_collections, rag_top_k
    FROM assistants ORDER BY id`);
  return JSON.stringify(rows);
}
