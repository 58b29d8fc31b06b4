// Rows as an institution leaves them, made by the server itself: half of them in one organization, the rest in many.
import { createHash } from 'node:crypto';

export const ORGANIZATIONS = 200;
/** Assistants of one teacher. */
const EACH = 10;
/** Runs that are older than the retention, at every size. */
export const OLD_RUNS = 2_000;

/** The credential of a teacher of the large organization. */
export const keyOf = (teacher) => `bw_growth${String(teacher).padStart(40, '0')}`;
const hashOf = (key) => createHash('sha256').update(key, 'utf8').digest('hex');

const uuid = (kind, number) => `('${kind}-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const organization = (n) =>
  `CASE WHEN ${n} % 2 = 0 THEN $1::uuid ELSE ${uuid('0a000000', `(${n} / 2) % ${ORGANIZATIONS - 1}`)} END`;
const owner = (n) =>
  `CASE WHEN ${n} % 2 = 0 THEN ${uuid('0b000000', `${n} / ${2 * EACH}`)} ELSE ${uuid('0c000000', `(${n} / 2) % ${ORGANIZATIONS - 1}`)} END`;

const OTHERS = `
  INSERT INTO organizations (id, slug, name)
  SELECT ${uuid('0a000000', 'n')}, 'school-' || n, 'School ' || n FROM generate_series(0, ${ORGANIZATIONS - 2}) n`;
const OTHER_PEOPLE = `
  INSERT INTO users (id, email)
  SELECT ${uuid('0c000000', 'n')}, 'owner' || n || '@example.edu' FROM generate_series(0, ${ORGANIZATIONS - 2}) n`;
const OTHER_MEMBERS = `
  INSERT INTO members (organization_id, user_id, name, role)
  SELECT ${uuid('0a000000', 'n')}, ${uuid('0c000000', 'n')}, 'Owner ' || n, 'owner'
  FROM generate_series(0, ${ORGANIZATIONS - 2}) n`;

const TEACHERS = `
  INSERT INTO users (id, email)
  SELECT ${uuid('0b000000', 'n')}, 'teacher' || n || '@example.edu' FROM generate_series($1::int, $2::int) n`;
const TEACHING = `
  INSERT INTO members (organization_id, user_id, name, role)
  SELECT $1::uuid, ${uuid('0b000000', 'n')}, 'Teacher ' || n, 'member' FROM generate_series($2::int, $3::int) n`;
const KEYS = `
  INSERT INTO api_keys (id, organization_id, user_id, name, hash, scopes)
  SELECT gen_random_uuid(), $1::uuid, ${uuid('0b000000', '(n::int)')}, 'bench', hash, '{chat,read,write}'
  FROM json_to_recordset($2::json) AS r(n int, hash text)`;

/** One in twenty is published, one in sixty has changes that are not. */
const ASSISTANTS = `
  INSERT INTO assistants (id, organization_id, owner_id, type, name, description, system_prompt, prompt_template, metadata,
    published, live_version, version)
  SELECT n, ${organization('n')}, ${owner('n')}, CASE WHEN n % 100 = 0 THEN 'multi_tool' ELSE 'classic' END,
    'Tutor ' || substr(md5(n::text), 1, 10), 'Helps with ' || substr(md5((n + 1)::text), 1, 12) || ' step by step',
    repeat('Answer as a patient tutor would. ', 30), '{user_input}',
    '{"prompt_processor":"simple_augment","rag_processor":"no_rag","connector":"bypass","llm":"debug-bypass"}',
    n % 40 < 2, CASE WHEN n % 40 < 2 THEN 1 END, CASE WHEN n % 120 < 2 THEN 2 ELSE 1 END
  FROM generate_series($2::int, $3::int) n`;
const VERSIONS = `
  INSERT INTO assistant_versions (assistant_id, version, organization_id, reason, type, name, description, system_prompt,
    prompt_template, metadata, rag_collections, rag_top_k)
  SELECT id, v, organization_id, 'create', type, name, description, system_prompt, prompt_template, metadata, '', 3
  FROM assistants CROSS JOIN LATERAL generate_series(1, version) v WHERE id BETWEEN $1 AND $2`;
/** Two of another teacher for each. */
const SHARES = `
  INSERT INTO assistant_shares (assistant_id, user_id, organization_id, access)
  SELECT id, ${uuid('0b000000', `((id / ${2 * EACH} + 1) % $3)`)}, organization_id, 'use' FROM assistants
  WHERE id BETWEEN $1 AND $2 AND id % ${EACH * 2} IN (4, 8)`;

/** Ids begin with the time, as version 7 does. One in fifty failed, one in a hundred has a rating. */
const RUNS = `
  INSERT INTO runs (id, organization_id, user_id, assistant_id, assistant_name, assistant_type, stream, status, created_at,
    finished_at, duration_ms, prompt_tokens, completion_tokens, total_tokens, tools, sources, events, problems, rating,
    question, assistant_version)
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(r::text), 1, 3) || 'a' ||
    substr(md5(r::text), 4, 15))::uuid,
    ${organization('a')}, ${owner('a')}, a, 'Tutor', 'classic', true, CASE WHEN r % 50 = 0 THEN 'failed' ELSE 'completed' END,
    at, at, 800, 400, 200, 600, '[]', '[]', '[{"seq":1,"type":"run.started"}]', (r % 50 = 0)::int,
    CASE WHEN r % 100 = 2 THEN 'down' END, 'Why does ' || substr(md5(r::text), 1, 12) || ' scatter light?', 1
  FROM (
    SELECT r, 1 + r % $4::int AS a, now() - make_interval(secs => 80 * 86400.0 * (1 - r / $5::float8)) AS at
    FROM generate_series($2::int, $3::int) r
  ) numbered`;
const OLD = `
  UPDATE runs SET created_at = now() - interval '200 days', pruned_at = NULL
  WHERE id IN (SELECT id FROM runs WHERE pruned_at IS NULL ORDER BY id LIMIT ${OLD_RUNS})`;

/** Fills up to `size` assistants; `state` is that of the fill before. */
export async function fill(client, size, { slug, runsEach, before = 0 }) {
  const { rows } = await client.query('SELECT id FROM organizations WHERE slug = $1', [slug]);
  const main = rows[0].id;
  if (before === 0) for (const statement of [OTHERS, OTHER_PEOPLE, OTHER_MEMBERS]) await client.query(statement);
  const teacherOf = (n) => Math.floor(n / (2 * EACH));
  const [firstTeacher, lastTeacher] = [before === 0 ? 0 : teacherOf(before) + 1, teacherOf(size)];
  await client.query(TEACHERS, [firstTeacher, lastTeacher]);
  await client.query(TEACHING, [main, firstTeacher, lastTeacher]);
  if (before === 0) {
    const keys = Array.from({ length: lastTeacher + 1 }, (_, n) => ({ n, hash: hashOf(keyOf(n)) }));
    await client.query(KEYS, [main, JSON.stringify(keys)]);
  }
  await client.query(ASSISTANTS, [main, before + 1, size]);
  await client.query(VERSIONS, [before + 1, size]);
  await client.query(SHARES, [before + 1, size, lastTeacher + 1]);
  // The runs of a size are its own: their times cover the same eighty days.
  await client.query('TRUNCATE runs CASCADE');
  const runs = size * runsEach;
  for (let first = 0; first < runs; first += 100_000) {
    await client.query(RUNS, [main, first, Math.min(runs, first + 100_000) - 1, size, runs]);
  }
  await client.query(OLD);
  await client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', ['assistants', 'id', size]);
  await client.query('VACUUM ANALYZE');
  return { main, teachers: Math.min(lastTeacher + 1, 5), runs };
}
