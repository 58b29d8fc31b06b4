// The database of the bench, between commands: rows go in straight, digests and counts come out.
import { createHash, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { built } from '../lib/built.mjs';

const require = createRequire(import.meta.url);
require('@nestjs/common').Logger.overrideLogger(false);

const RAG = { prompt_processor: 'simple_augment', connector: 'bypass', llm: 'debug-bypass' };
const LONG = 'Answer as a patient tutor would. '.repeat(40);
/** Shapes that LAMB, version 1 and version 2 have left; each `n` makes another document. */
const SHAPES = [
  () => ['classic', 'X {context} Y {user_input}', ''],
  () => ['classic', '{user_input}', { ...RAG, rag_processor: 'no_rag' }],
  (n) => [
    'classic',
    `${LONG}{context}\n\\frac{a}{b} {user_input}`,
    { ...RAG, rag_processor: 'simple_rag', odd: { n } },
  ],
  (n) => [
    'classic',
    'R {context} {user_input}',
    { ...RAG, rag_processor: 'rubric_rag', rubric_id: n + 1, rubric_format: 'json' },
  ],
  () => ['classic', 'R {context} {user_input}', { ...RAG, rag_processor: 'rubric_rag', rubric_id: randomUUID() }],
  (n) => [
    'classic',
    'F {context}{context} {user_input}',
    { ...RAG, rag_processor: 'single_file_rag', file_path: `${n}/notes.md` },
  ],
  () => ['classic', '', { ...RAG, rag_processor: 'No RAG' }],
  () => [
    'classic',
    '{context} {user_input}',
    { ...RAG, rag_processor: 'context_aware_rag', capabilities: { vision: true } },
  ],
  () => ['classic', '{user_input} {context}', { ...RAG, rag_processor: 'hierarchical_rag', quota: { enabled: true } }],
  (n) => [
    'multi_tool',
    '{rubric} {user_input}',
    { connector: 'bypass', tools: [{ type: 'rubric', enabled: true, config: { rubric_id: n + 1 } }] },
  ],
];

const INSERT = `
  WITH made AS (
    INSERT INTO assistants (organization_id, owner_id, type, name, system_prompt, prompt_template, metadata, rag_collections)
    SELECT $1, $2, type, name, 'You are a tutor.', template, metadata, collections
    FROM json_to_recordset($3::json) AS r(type text, name text, template text, metadata text, collections text)
    RETURNING *
  )
  INSERT INTO assistant_versions (assistant_id, version, organization_id, reason, type, name, description,
    system_prompt, prompt_template, metadata, rag_collections, rag_top_k)
  SELECT id, 1, organization_id, 'create', type, name, '', system_prompt, prompt_template, metadata, rag_collections, rag_top_k
  FROM made`;

const DOCUMENTS = `
  SELECT id, owner_id, type, name, description, system_prompt, prompt_template, metadata, rag_collections, rag_top_k, published
  FROM assistants WHERE id > $1 ORDER BY id LIMIT 1000`;

const COUNTS = `
  SELECT (SELECT count(*)::int FROM migration_items WHERE batch_id = $1 AND status = 'migrated') AS items,
         (SELECT count(*)::int FROM migration_items i
            JOIN assistant_versions v ON v.assistant_id = i.assistant_id AND v.version = i.new_version AND v.reason = 'migrate'
            WHERE i.batch_id = $1) AS versions,
         (SELECT count(*)::int FROM audit_entries
            WHERE action = 'assistant.migrate' AND after->>'batch' = $1::text) AS entries`;

function storeOf(dataSource) {
  return {
    async fill(count, slug) {
      const [{ id }] = await dataSource.query('SELECT id FROM organizations WHERE slug = $1', [slug]);
      const [{ owner }] = await dataSource.query('SELECT user_id AS owner FROM members WHERE organization_id = $1', [
        id,
      ]);
      for (let first = 0; first < count; first += 1_000) {
        const rows = Array.from({ length: Math.min(1_000, count - first) }, (_, k) => {
          const n = first + k;
          const [type, template, metadata] = SHAPES[n % SHAPES.length](n);
          const text = metadata === '' ? '' : JSON.stringify(metadata, null, n % 3);
          return {
            type,
            name: `Assistant ${n}`,
            template,
            metadata: text,
            collections: n % 2 === 0 ? 'biology,physics' : '',
          };
        });
        await dataSource.query(INSERT, [id, owner, JSON.stringify(rows)]);
      }
    },
    /** Over everything that a rollback must bring back. */
    async digest() {
      const hash = createHash('sha256');
      for (let after = 0, rows; ; after = rows.at(-1).id) {
        rows = await dataSource.query(DOCUMENTS, [after]);
        if (rows.length === 0) return hash.digest('hex');
        hash.update(JSON.stringify(rows));
      }
    },
    async countsOf(batch) {
      const [counts] = await dataSource.query(COUNTS, [batch]);
      return counts;
    },
    async lastBatch() {
      const [last] = await dataSource.query(
        'SELECT id AS batch, state FROM migration_batches ORDER BY id DESC LIMIT 1',
      );
      return last;
    },
  };
}

/** Opens the database for `work` alone; no command may run meanwhile on the embedded engine. */
export async function openStore({ dataDir, databaseUrl }, work) {
  const { openDatabase } = built('src/infrastructure/postgres/connection/open-database');
  const { migrations } = built('migrations/index');
  const config = { url: databaseUrl ?? null, dataDir, poolSize: 4 };
  const database = await openDatabase(config, { migrations, schema: 'skip', share: true });
  try {
    return await work(storeOf(database.dataSource));
  } finally {
    await database.close();
  }
}
