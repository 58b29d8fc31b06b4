import type { AppError } from '@bellwether/kernel';
import { DataSource } from 'typeorm';
import { AuditLog } from '../../src/infrastructure/audit';
import { entriesIn } from '../../src/runs';
import { AccountRemoval } from '../../src/privacy/erasure/erasure-runner.service';
import { ErasureRepository } from '../../src/privacy/erasure/erasure.repository';
import type { HeldErasure } from '../../src/privacy/erasure/erasure-request.entity';
import { SETTLED_AFTER_MS } from '../../src/privacy/erasure/settled-after.token';
import { filesForm, startApp, type TestApp } from '../support/app';
import { user } from '../support/chat';
import { ingested } from '../support/ingested';
import { foreignOrganization, person, type Person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';
import { unzipped } from '../support/unzipped';

const MEMBERS = '/api/v1/organizations/default/members';
const ERASURES = '/api/v1/organizations/default/erasures';
const CANARY = 'zebrafinch';

let app: TestApp;
let upstream: Upstream;
let owner: Person;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.always({ content: 'The zebrafinch answers.' });
  app = await startApp({
    env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-test' },
    overrides: [{ provide: SETTLED_AFTER_MS, useValue: 1_000 }],
  });
  owner = await person(app, { role: 'owner', scopes: ['chat', 'read', 'write', 'admin'] });
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);

/** Tables and columns of the whole database that contain one of the texts. */
async function found(...texts: readonly string[]): Promise<string[]> {
  const columns = await sql(`
    SELECT table_schema AS schema, table_name AS "table", column_name AS "column" FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema IN ('public', 'pgboss') AND table_type = 'BASE TABLE'
      AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'uuid', 'ARRAY', 'USER-DEFINED')`);
  const names = new Map<string, string[]>();
  for (const { schema, table, column } of columns) {
    const place = `${schema}.${table}`;
    names.set(place, [...(names.get(place) ?? []), column]);
  }
  const places: string[] = [];
  for (const [place, inside] of names) {
    const holds = inside.map((name) => `bool_or(lower("${name}"::text) LIKE ANY($1::text[])) AS "${name}"`);
    const [row] = await sql(`SELECT ${holds.join(', ')} FROM "${place.replace('.', '"."')}"`, [
      texts.map((text) => `%${text.toLowerCase()}%`),
    ]);
    places.push(...inside.filter((name) => row[name] === true).map((name) => `${place}.${name}`));
  }
  for (const { body } of await sql('SELECT body FROM run_segments')) {
    const lines = (await entriesIn(body)).join().toLowerCase();
    if (texts.some((text) => lines.includes(text.toLowerCase()))) places.push('public.run_segments.body');
  }
  return places.sort();
}

const downloaded = (by: Person, path = '/api/v1/me/data-export'): Promise<Response> =>
  fetch(`${app.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${by.key}` } });
const archiveOf = async (by: Person, path?: string): Promise<Map<string, string>> =>
  unzipped(Buffer.from(await (await downloaded(by, path)).arrayBuffer()));
const rowsIn = (entries: ReadonlyMap<string, string>, table: string): any[] =>
  JSON.parse(entries.get(`data/${table}.json`) ?? 'null');

const ok = <T extends { status: number; text: string }>(answer: T): T => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
};

/** A teacher with something in every kind of data. */
async function busyTeacher(): Promise<{ who: Person; shared: number; alone: number; knowledgeBase: string }> {
  const who = await person(app, { role: 'teacher', scopes: ['chat', 'read', 'write'] });
  await sql('UPDATE members SET name = $2 WHERE user_id = $1', [who.userId, `Greta ${CANARY}`]);
  const make = async (path: string, body: object): Promise<any> => ok(await who.api('POST', path, body)).json;
  const knowledgeBase = (await make('/api/v1/knowledge-bases', { name: `${CANARY} notes` })).id as string;
  await ingested(who, knowledgeBase, { [`${CANARY}.md`]: `The ${CANARY} sings at dawn.` });
  ok(
    await who.api('POST', '/api/v1/files', filesForm([`${CANARY}.md`, `private ${CANARY}`], ['shared.md', 'for all'])),
  );
  const metadata = { connector: 'openai', llm: 'gpt-4o-mini' };
  const alone = (await make('/api/v1/assistants', { name: `${CANARY} alone`, system_prompt: CANARY, metadata })).id;
  const file = { plugin: 'single_file_rag', placeholder: '1_file', config: { file_path: 'shared.md' } };
  const shared = (
    await make('/api/v1/assistants', {
      name: 'Shared tutor',
      prompt_template: '{1_file} {user_input}',
      metadata: { ...metadata, assistant_type: 'multi_tool', orchestrator: 'sequential', tools: [file] },
    })
  ).id;
  const shares = { shares: [{ user_id: owner.userId, access: 'use' }] };
  ok(await who.api('PUT', `/api/v1/assistants/${shared}/shares`, shares));
  await make('/api/v1/prompt-templates', {
    name: `${CANARY} template`,
    type: 'classic',
    prompt_template: '{user_input}',
  });
  const ask = { messages: [user(`my ${CANARY} question, ${'at length '.repeat(40)}and the end of a long question`)] };
  ok(await who.api('POST', `/api/v1/assistants/${alone}/completions`, ask, { 'idempotency-key': `k-${who.userId}` }));
  ok(await who.api('POST', `/api/v1/assistants/${shared}/completions`, { ...ask, user: CANARY }));
  await until(async () => (await who.api('GET', '/api/v1/runs')).json.total >= 2);
  // A colleague has repeated a question.
  const repeated = `jsonb_build_object('id', gen_random_uuid(), 'user_id', $2::text, 'replay', jsonb_build_object('of', id))`;
  const copy = `SELECT (jsonb_populate_record(run, ${repeated})).* FROM runs run`;
  await sql(`INSERT INTO runs ${copy} WHERE user_id = $1 LIMIT 1`, [who.userId, owner.userId]);
  return { who, shared, alone, knowledgeBase };
}

const erasure = (member: string, body: object, by: Person = owner) =>
  by.api('POST', `${MEMBERS}/${member}/erasure`, body);

async function done(id: string): Promise<any> {
  let last: any;
  await until(async () => (last = (await owner.api('GET', `${ERASURES}/${id}`)).json).state === 'done', 60_000);
  return last;
}

/** Former names and addresses, and a subject of a learning platform, in the audit log. */
async function history({ userId, email }: Person): Promise<void> {
  for (const changes of [
    { name: 'Quixname', email: 'quixformer@uni.example' },
    { name: `Greta ${CANARY}`, email },
  ]) {
    ok(await owner.api('PATCH', `${MEMBERS}/${userId}`, changes));
  }
  const [{ id: organizationId }] = await sql(`SELECT id FROM organizations WHERE slug = 'default'`);
  const entry = { caller: null, organizationId };
  const about = { action: 'identity.link', target: { type: 'member', id: userId } };
  const other = { action: 'probe.note', target: { type: 'probe', id: '1' } };
  await app.get(AuditLog).record({ ...entry, ...about, after: { lti_platform: 'p', subject: 'moodle::quixsubject' } });
  await app.get(AuditLog).record({ ...entry, ...other, after: { note: 'QuixFormer@uni.example bounced' } });
}

it('erases everything about a person, hands over what others use, and reports what is kept', async () => {
  const { who, shared, alone } = await busyTeacher();
  await history(who);
  const plan = (await erasure(who.userId, {})).json;
  expect(plan).toMatchObject({ person: { email: who.email }, heir: { email: 'admin@localhost' }, problems: [] });
  expect(plan.handed_over.map(({ type, name }: any) => `${type}: ${name}`).sort()).toEqual([
    'assistants: Shared tutor',
    'files: shared.md',
  ]);
  expect(plan.deleted.map(({ type }: any) => type).sort()).toEqual([
    'assistants',
    'files',
    'knowledge_bases',
    'prompt_templates',
  ]);
  expect((await who.api('GET', '/api/v1/me')).status).toBe(200);

  const unconfirmed = await erasure(who.userId, { dry_run: false });
  expect([unconfirmed.status, unconfirmed.json.errors?.[0]?.path]).toEqual([400, 'confirm']);
  const accepted = await erasure(who.userId, { dry_run: false, heir: owner.email, confirm: who.email });
  expect([accepted.status, accepted.json.user_id]).toEqual([202, who.userId]);
  const { report, report_text: text, user_id: left } = await done(accepted.json.id);

  expect(left).toBeNull();
  expect(report).toMatchObject({
    account: 'deleted',
    handed_over: { assistants: [String(shared)], files: [expect.any(String)] },
    counts: { deleted: { account: 2, assistants: 1, knowledge_bases: 1, files: 1 }, anonymised: { runs: 3 } },
  });
  expect(report.kept.map(({ code }: any) => code)).toEqual(
    expect.arrayContaining(['audit', 'run_figures', 'handed_over', 'backups', 'vendors']),
  );
  expect(text).toContain('The account was deleted.');

  expect(await found(who.email, `Greta ${CANARY}`, 'quix')).toEqual([]);
  // Titles of content and the id are left in the audit, which the report lists as kept.
  expect(await found(CANARY)).toEqual(['public.audit_entries.after']);
  const places = await found(who.userId);
  expect(places.filter((place) => !place.startsWith('public.audit_entries.'))).toEqual([]);
  expect((await who.api('GET', '/api/v1/me')).status).toBe(401);
  expect((await owner.api('GET', `/api/v1/assistants/${alone}`)).status).toBe(404);
  const asked = await owner.api('POST', `/api/v1/assistants/${shared}/completions`, {
    messages: [user('still there?')],
  });
  expect(asked.status).toBe(200);
  expect(JSON.stringify(upstream.requests.at(-1))).toContain('for all');
  const nobody = `SELECT 1 FROM runs WHERE user_id = '00000000-0000-0000-0000-000000000000' AND total_tokens IS NOT NULL`;
  expect(await sql(nobody)).toHaveLength(2);
}, 120_000);

describe('erasing and exporting', () => {
  it('is refused to everybody but administrators of the organization who outrank the person', async () => {
    const slug = await foreignOrganization(app);
    const callers: [string, Person, number][] = [
      ['a teacher', await person(app, { role: 'teacher' }), 403],
      ['a member', await person(app, { role: 'member' }), 403],
      ['an administrator without the scope', await person(app, { role: 'admin' }), 403],
      ['an administrator who is outranked', await person(app, { role: 'admin', scopes: ['read', 'admin'] }), 403],
      [
        'an owner of another organization',
        await person(app, { role: 'owner', organization: slug, scopes: ['read', 'admin'] }),
        404,
      ],
    ];
    for (const [name, caller, status] of callers) {
      expect([name, (await erasure(owner.userId, {}, caller)).status]).toEqual([name, status]);
      const exported = await caller.api('POST', `${MEMBERS}/${owner.userId}/data-export`);
      expect([name, exported.status]).toEqual([name, status]);
      if (name !== 'an administrator who is outranked')
        expect([name, (await caller.api('GET', ERASURES)).status]).toEqual([name, status]);
    }
    const anonymous = await app.api('POST', '/api/v1/me/data-export', undefined, { authorization: 'Bearer bw_no' });
    expect(anonymous.status).toBe(401);
    expect((await erasure('nobody@example.edu', {})).status).toBe(404);
    expect(
      (await erasure(owner.userId, { unshared: 'burn', surprise: 1 })).json.errors.map((e: any) => e.path).sort(),
    ).toEqual(['surprise', 'unshared']);
  });

  it('leaves an organization its last owner, and nobody erases their own ownership', async () => {
    const own = await erasure(owner.userId, { dry_run: false, confirm: owner.email });
    expect([own.status, own.json.errors.map((e: any) => e.code)]).toEqual([409, ['own_account']]);
    const slug = await foreignOrganization(app);
    const only = await person(app, { role: 'owner', organization: slug });
    const path = `/api/v1/organizations/${slug}/members/${only.userId}/erasure`;
    const last = await app.api('POST', path, { dry_run: false, confirm: only.email });
    expect([last.status, last.json.errors.map((e: any) => e.code)]).toEqual([409, ['last_owner']]);
  });

  it('spares the second of two owners whose erasures were requested together', async () => {
    const slug = await foreignOrganization(app);
    const scopes = ['read', 'admin'];
    const owners = [
      await person(app, { role: 'owner', organization: slug, scopes }),
      await person(app, { role: 'owner', organization: slug, scopes }),
    ];
    const [{ id: organizationId }] = await sql('SELECT id FROM organizations WHERE slug = $1', [slug]);
    const requests = app.get(ErasureRepository);
    const held: HeldErasure[] = [];
    for (const { userId: subjectId } of owners) {
      const values = { organizationId, subjectId, heirId: null, requestedBy: null, unshared: 'delete' as const };
      const { id } = await app.get(DataSource).transaction((tx) => requests.insert(values, tx));
      const claimed = await requests.claim(organizationId, id);
      if (claimed === null) throw new Error('another worker was faster');
      held.push(claimed);
    }
    const accounts = app.get(AccountRemoval);
    const outcomes: string[] = [];
    for (const each of held) {
      outcomes.push(
        await accounts.deactivate(each).then(
          () => 'done',
          (error: AppError) => error.code,
        ),
      );
    }
    expect(outcomes).toEqual(['done', 'conflict']);
    expect((await owners[1]?.api('GET', `/api/v1/organizations/${slug}/members`))?.status).toBe(200);
    await sql('DELETE FROM erasure_requests WHERE organization_id = $1', [organizationId]);
  });

  it('ends in one organization and leaves the person in the others', async () => {
    const slug = await foreignOrganization(app);
    const who = await person(app, { role: 'teacher' });
    const member = { email: who.email, name: 'Known there', role: 'teacher' };
    ok(await app.api('POST', `/api/v1/organizations/${slug}/members`, member));
    const accepted = ok(await erasure(who.email, { dry_run: false, confirm: who.email.toUpperCase() }));
    const { report } = await done(accepted.json.id);
    expect(report).toMatchObject({ account: 'kept', counts: { deleted: { account: 1 } } });
    expect(report.kept.map(({ code }: any) => code)).toContain('account');
    const { items } = (await app.api('GET', `/api/v1/organizations/${slug}/members`)).json;
    expect(items.map(({ email }: any) => email)).toContain(who.email);
    expect((await erasure(who.email, {})).status).toBe(404);
  }, 60_000);

  it('takes the conversations of the person along', async () => {
    const metadata = { connector: 'openai', llm: 'gpt-4o-mini' };
    const { id } = (await owner.api('POST', '/api/v1/assistants', { name: 'Published tutor', metadata })).json;
    ok(await owner.api('PUT', `/api/v1/assistants/${id}/publication`, {}));
    const who = await person(app, { role: 'member', scopes: ['chat', 'read'] });
    const conversation = (await who.api('POST', '/api/v1/conversations', { assistant_id: id })).json.id as string;
    const said = `nightjar-${who.userId}`;
    const asked = await who.api('POST', `/api/v1/conversations/${conversation}/messages`, { content: `About ${said}` });
    expect(asked.status).toBe(202);
    await until(async () => {
      const { messages } = (await who.api('GET', `/api/v1/conversations/${conversation}`)).json;
      return messages[1].status === 'completed';
    });
    expect(await found(said)).not.toEqual([]);
    const accepted = await erasure(who.userId, { dry_run: false, confirm: who.email });
    expect(accepted.status).toBe(202);
    await done(accepted.json.id);
    expect(await found(said)).toEqual([]);
  });

  it('answers an open request instead of making a second one', async () => {
    const who = await person(app, { role: 'member' });
    const body = { dry_run: false, confirm: who.email };
    const [one, two] = await Promise.all([erasure(who.userId, body), erasure(who.userId, body)]);
    expect([one.status, two.status, two.json.id]).toEqual([202, 202, one.json.id]);
    await done(one.json.id);
  }, 60_000);

  it('gives a person their own data as a ZIP archive', async () => {
    const { who } = await busyTeacher();
    const response = await downloaded(who);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="personal-data-[\d-]+\.zip"/);
    const entries = await unzipped(Buffer.from(await response.arrayBuffer()));
    const rows = (table: string): any[] => rowsIn(entries, table);
    expect(rows('users')).toEqual([expect.objectContaining({ email: who.email })]);
    expect(rows('members')).toEqual([expect.objectContaining({ name: `Greta ${CANARY}` })]);
    expect(rows('runs')).toHaveLength(2);
    expect(JSON.stringify(rows('runs'))).toContain(CANARY);
    expect(rows('assistants').map(({ name }) => name)).toEqual([`${CANARY} alone`, 'Shared tutor']);
    expect(rows('api_keys')).toHaveLength(1);
    expect(rows('api_keys')[0]).not.toHaveProperty('hash');
    expect(entries.get(`files/${CANARY}.md`)).toBe(`private ${CANARY}`);
    expect([...entries.keys()].filter((path) => path.startsWith('documents/'))).toEqual([
      `documents/${CANARY}-notes/${CANARY}.md`,
    ]);
    const { tables, missing_files } = JSON.parse(entries.get('manifest.json') ?? '{}');
    expect(missing_files).toEqual([]);
    expect(tables.find(({ table }: any) => table === 'runs')).toEqual({ table: 'runs', kind: 'runs', rows: 2 });
    expect([...entries.values()].join('')).not.toContain(owner.email);
    const audit = await owner.api('GET', '/api/v1/organizations/default/audit');
    expect(audit.json.items.find(({ action }: any) => action === 'person.export').target.id).toBe(who.userId);
  }, 60_000);

  it('gives askers their words and nothing of the assistant, in each organization that may ask', async () => {
    const teacher = await person(app, { role: 'teacher', scopes: ['chat', 'read', 'write'] });
    const base = ok(await teacher.api('POST', '/api/v1/knowledge-bases', { name: 'Solutions', passages_shown: false }));
    await ingested(teacher, base.json.id, { 'solutions.md': 'The osmosis answer is SECRET-PASSAGE.' });
    const config = { collections: [base.json.id], top_k: 3 };
    const made = await teacher.api('POST', '/api/v1/assistants', {
      name: 'Osmosis tutor',
      system_prompt: 'SECRET-SYSTEM',
      prompt_template: 'SECRET-TEMPLATE {1_context} {user_input}',
      metadata: {
        connector: 'openai',
        llm: 'gpt-4o-mini',
        assistant_type: 'multi_tool',
        orchestrator: 'sequential',
        tools: [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config }],
      },
    });
    const { id } = ok(made).json;
    const foreign = await foreignOrganization(app);
    ok(await app.api('PATCH', '/api/v1/organizations/default', { features: { assistants_export: true } }));
    ok(await app.api('PATCH', `/api/v1/organizations/${foreign}`, { features: { assistants_import: true } }));
    ok(await teacher.api('PUT', `/api/v1/assistants/${id}/publication`, {}));
    ok(await app.api('PUT', `/api/v1/assistants/${id}/publication/everywhere`));

    const everything = ['chat', 'read', 'write', 'admin'];
    const askers: [string, Person][] = [
      ['a student', await person(app, { role: 'member' })],
      ['an administrator', await person(app, { role: 'admin', scopes: everything })],
      ['a student elsewhere', await person(app, { role: 'member', organization: foreign })],
      ['an owner elsewhere', await person(app, { role: 'owner', organization: foreign, scopes: everything })],
    ];
    for (const [name, asker] of askers) {
      const question = `What is osmosis? ${'I ask this at length. '.repeat(10)}`.trim();
      const body = { messages: [user(question)] };
      const conversation = ok(await asker.api('POST', '/api/v1/conversations', { assistant_id: id })).json.id;
      ok(await asker.api('POST', `/api/v1/conversations/${conversation}/messages`, { content: question }));
      const run = ok(await asker.api('POST', `/api/v1/assistants/${id}/completions`, body)).json.run_id;
      expect(JSON.stringify(upstream.requests.at(-1))).toContain('SECRET-PASSAGE');
      await until(async () => {
        const { messages } = (await asker.api('GET', `/api/v1/conversations/${conversation}`)).json;
        return messages[1].status === 'completed';
      });
      // A question of this moment is in the archive.
      const last = ok(await asker.api('POST', `/api/v1/assistants/${id}/completions`, body)).json.run_id;
      const entries = await archiveOf(asker);
      const all = [...entries.values()].join('');
      expect([name, /SECRET-\w+/.exec(all)?.[0] ?? null]).toEqual([name, null]);
      expect(rowsIn(entries, 'members')).toHaveLength(1);
      const { events: _events, ...shown } = ok(await asker.api('GET', `/api/v1/runs/${run}`)).json;
      const archived = rowsIn(entries, 'runs').find((each) => each.id === run);
      expect(rowsIn(entries, 'runs').map((each) => each.id)).toContain(last);
      expect(archived).toMatchObject({
        question,
        answer: 'The zebrafinch answers.',
        // Another organization is not told the documents.
        sources: shown.sources.map(({ document }: { document: string }) => ({ document })),
        rating: null,
        usage: shown.usage,
      });
      expect(Object.keys(shown)).toEqual(expect.arrayContaining(Object.keys(archived)));
      expect(rowsIn(entries, 'conversation_messages').map(({ text }) => text.trim())).toEqual([
        question.trim(),
        'The zebrafinch answers.',
      ]);
      expect(all).not.toContain('/api/v1/sources?link=');
    }
    expect(
      [...(await archiveOf(askers[3]![1], `/api/v1/organizations/${foreign}/data-export`)).values()].join(''),
    ).not.toMatch(/SECRET-(SYSTEM|TEMPLATE|PASSAGE)/);
  }, 120_000);

  it('leaves others out of what the audit log says about a person', async () => {
    const who = await person(app, { role: 'member', scopes: ['chat', 'read'] });
    ok(await owner.api('PATCH', `${MEMBERS}/${who.userId}`, { name: 'Renamed by an owner' }));
    await downloaded(who).then((response) => response.arrayBuffer());
    const entries = rowsIn(await archiveOf(who), 'audit_entries');
    const own = entries.filter(({ action }) => action === 'person.export');
    expect(own).toEqual(expect.arrayContaining([expect.objectContaining({ ip: expect.any(String) })]));
    const update = entries.find(({ action }) => action === 'member.update');
    expect(update).toEqual({
      at: expect.any(String),
      action: 'member.update',
      target_type: 'member',
      target_id: null,
      request_id: null,
      ip: null,
    });
    expect(JSON.stringify(entries)).not.toContain(owner.userId);
  });

  it('gives an administrator no private material and no words of the runs of a member, and an owner all of it', async () => {
    const { who } = await busyTeacher();
    const admin = await person(app, { role: 'admin', scopes: ['chat', 'read', 'write', 'admin'] });
    const path = `${MEMBERS}/${who.userId}/data-export`;
    const less = await archiveOf(admin, path);
    expect([...less.keys()].filter((name) => /^(files|documents)\/|conversation/.test(name))).toEqual([]);
    expect(JSON.parse(less.get('manifest.json') ?? '{}').left_out).toEqual(
      expect.arrayContaining(['conversations', 'files', 'documents']),
    );
    expect([...less.values()].join('')).not.toContain(`The ${CANARY} sings at dawn`);
    expect(rowsIn(less, 'runs').map(({ answer }) => answer)).toEqual([null, null]);
    expect([...less.values()].join('')).not.toMatch(/The zebrafinch answers|end of a long question/);
    const all = await archiveOf(owner, path);
    expect(rowsIn(all, 'runs').map(({ answer }) => answer)).toEqual(Array(2).fill('The zebrafinch answers.'));
    expect(JSON.stringify(rowsIn(all, 'runs'))).toContain('end of a long question');
    expect(all.get(`files/${CANARY}.md`)).toBe(`private ${CANARY}`);
  }, 60_000);

  it('gives no archive to keys that speak for others', async () => {
    const acting = await person(app, { scopes: ['chat', 'read', 'act_as'] });
    expect((await acting.api('POST', '/api/v1/me/data-export')).status).toBe(403);
  });

  it('reaches what the person asked of another organization', async () => {
    const teacher = await person(app, { role: 'teacher', scopes: ['chat', 'read', 'write'] });
    const metadata = { connector: 'openai', llm: 'gpt-4o-mini' };
    const { id } = ok(await teacher.api('POST', '/api/v1/assistants', { name: 'Shared everywhere', metadata })).json;
    const foreign = await foreignOrganization(app);
    ok(await app.api('PATCH', '/api/v1/organizations/default', { features: { assistants_export: true } }));
    ok(await app.api('PATCH', `/api/v1/organizations/${foreign}`, { features: { assistants_import: true } }));
    ok(await teacher.api('PUT', `/api/v1/assistants/${id}/publication`, {}));
    ok(await app.api('PUT', `/api/v1/assistants/${id}/publication/everywhere`));
    const asker = await person(app, { role: 'member', organization: foreign });
    const scopes = ['chat', 'read', 'write', 'admin'];
    const chief = await person(app, { role: 'owner', organization: foreign, scopes });
    const body = { messages: [user('What does the quokka eat?')] };
    const run = ok(await asker.api('POST', `/api/v1/assistants/${id}/completions`, body)).json.run_id;
    const path = `/api/v1/organizations/${foreign}`;
    const accepted = ok(
      await chief.api('POST', `${path}/members/${asker.userId}/erasure`, { dry_run: false, confirm: asker.email }),
    );
    const state = async () => (await chief.api('GET', `${path}/erasures/${accepted.json.id}`)).json.state;
    await until(async () => (await state()) === 'done', 30_000);
    const [row] = await sql(`SELECT user_id, segment_id, question FROM runs WHERE id = '${run}'`);
    expect(row).toMatchObject({ segment_id: null, question: null });
    expect(row.user_id).not.toBe(asker.userId);
  }, 60_000);
});
