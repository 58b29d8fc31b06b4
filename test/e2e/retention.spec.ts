import { DataSource } from 'typeorm';
import { Retention } from '../../src/privacy/retention.service';
import { filesForm, startApp, type TestApp } from '../support/app';
import { foreignOrganization, person } from '../support/people';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);

const RUN = `
  INSERT INTO runs (id, organization_id, user_id, assistant_id, assistant_name, assistant_type, stream, status, created_at,
                    tools, sources, passages, events, total_tokens, rating, rating_reason, heartbeat_at)
  SELECT gen_random_uuid(), o.id, gen_random_uuid(), 1, 'Tutor', 'classic', false, $3, now() - make_interval(days => $2),
         '[]', '[{"title": "secret"}]', '[{"text": "secret"}]', '[{"type": "x"}]', 7, 'down', 'secret', now()
  FROM organizations o WHERE o.slug = $1`;

const CONVERSATION = `
  WITH kept AS (
    INSERT INTO conversations (id, organization_id, user_id, assistant_id, assistant_name, title, updated_at)
    SELECT gen_random_uuid(), o.id, (SELECT id FROM users LIMIT 1), 1, 'Tutor', 'secret', now() - make_interval(days => $2)
    FROM organizations o WHERE o.slug = $1 RETURNING id, organization_id, user_id
  )
  INSERT INTO conversation_messages (id, organization_id, conversation_id, user_id, position, role, text, status)
  SELECT gen_random_uuid(), organization_id, id, user_id, 1, 'user', 'secret', 'completed' FROM kept`;

it('deletes what is older than the organization allows, and nothing of the others', async () => {
  const slug = await foreignOrganization(app);
  const [{ id }] = await sql('SELECT id FROM organizations WHERE slug = $1', [slug]);
  for (const days of [1, 5, 20]) for (const name of [slug, 'default']) await sql(RUN, [name, days, 'completed']);
  // A long queue or a run that nobody has ended yet: its end would find nothing to write to.
  for (const status of ['queued', 'running', 'failed', 'cancelled']) await sql(RUN, [slug, 20, status]);
  const teacher = await person(app, { organization: slug });
  const files = filesForm(['used.md', 'used'], ['unused.md', 'unused'], ['young.md', 'young']);
  expect((await teacher.api('POST', '/api/v1/files', files)).status).toBe(201);
  const tools = [{ plugin: 'single_file_rag', placeholder: '1_file', config: { file_path: 'used.md' } }];
  const metadata = { assistant_type: 'multi_tool', orchestrator: 'sequential', connector: 'bypass', tools };
  expect((await teacher.api('POST', '/api/v1/assistants', { name: 'A', metadata })).status).toBe(201);
  await sql(`UPDATE files SET updated_at = now() - interval '9 days' WHERE name <> 'young.md'`);

  for (const days of [1, 20]) for (const name of [slug, 'default']) await sql(CONVERSATION, [name, days]);

  const retention = { runs_days: 10, run_contents_days: 3, conversations_days: 7, uploads_days: 8, audit_days: 30 };
  const patched = await app.api(
    'PATCH',
    `/api/v1/organizations/${slug}`,
    { privacy: { retention } },
    { 'if-match': '*' },
  );
  expect([patched.status, patched.json.privacy?.retention]).toEqual([200, retention]);
  await app.get(Retention).apply(id, new AbortController().signal);
  await app.get(Retention).apply(id, new AbortController().signal);

  const whole = { status: 'completed', events: 1, tokens: 7, passages: 1, rating: 'down', reason: 'secret' };
  const runs = `SELECT o.slug = $1 AS own, r.status, json_array_length(r.events) AS events, r.total_tokens AS tokens,
                  jsonb_array_length(r.passages) AS passages, r.rating, r.rating_reason AS reason
                FROM runs r JOIN organizations o ON o.id = r.organization_id
                ORDER BY own, r.created_at::date DESC, r.status`;
  expect(await sql(runs, [slug])).toEqual([
    ...Array.from({ length: 3 }, () => ({ own: false, ...whole })),
    { own: true, ...whole },
    { own: true, status: 'completed', events: 0, tokens: 7, passages: 0, rating: 'down', reason: null },
    { own: true, ...whole, status: 'queued' },
    { own: true, ...whole, status: 'running' },
  ]);
  const conversations = await sql(
    `SELECT o.slug = $1 AS own, count(DISTINCT c.id)::int AS kept, count(m.id)::int AS messages
     FROM conversations c JOIN organizations o ON o.id = c.organization_id
     LEFT JOIN conversation_messages m ON m.conversation_id = c.id GROUP BY 1 ORDER BY 1`,
    [slug],
  );
  expect(conversations).toEqual([
    { own: false, kept: 2, messages: 2 },
    { own: true, kept: 1, messages: 1 },
  ]);
  const left = (await teacher.api('GET', '/api/v1/files')).json.items.map(({ path }: any) => path);
  expect(left).toEqual(['used.md', 'young.md']);
  const audited = await sql(
    `SELECT after FROM audit_entries WHERE organization_id = $1 AND action = 'retention.apply' ORDER BY id`,
    [id],
  );
  expect(audited.map(({ after }) => after)).toEqual([
    { kind: 'runs', count: 3 },
    { kind: 'run_contents', count: 1 },
    { kind: 'conversations', count: 1 },
    { kind: 'uploads', count: 1 },
  ]);
}, 60_000);
