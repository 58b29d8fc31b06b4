import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import supertest from 'supertest';
import { INSTALLATION_TABLES } from '../../src/infrastructure/postgres/connection/enforce';
import { NOT_EXPORTED } from '../../src/privacy/organization/exported-tables';
import { OrganizationExportRepository } from '../../src/privacy/organization/organization-export.repository';
import {
  OrganizationErasure,
  OrganizationErasureJobs,
} from '../../src/privacy/organization/organization-erasure.service';
import { type TestApp, filesForm, startApp } from '../support/app';
import { openTestDatabase } from '../support/database';
import { fillTables } from '../support/filled-tables';
import { person } from '../support/people';
import { until } from '../support/until';
import { unzipped } from '../support/unzipped';

const ORGANIZATIONS = '/api/v1/organizations';
const NEVER = new AbortController().signal;

describe('an organization that ends', () => {
  let app: TestApp;
  let db: DataSource;
  const ids: Record<string, string> = {};
  const keys: Record<string, { authorization: string }> = {};

  beforeAll(async () => {
    app = await startApp();
    db = await openTestDatabase();
    for (const slug of ['physics', 'history']) {
      const owner = { email: `owner@${slug}.example`, name: 'Owner' };
      ids[slug] = (await app.api('POST', ORGANIZATIONS, { slug, name: slug, owner })).json.id;
      const wish = {
        name: 'first',
        scopes: ['chat', 'read', 'write', 'admin'],
        organization: slug,
        owner: owner.email,
      };
      keys[slug] = { authorization: `Bearer ${(await app.api('POST', '/api/v1/api-keys', wish)).json.key}` };
    }
  });
  afterAll(async () => {
    await db.destroy();
    await app.stop();
  });

  const end = (slug: string, query = '') => app.api('DELETE', `${ORGANIZATIONS}/${slug}${query}`);
  const graceIsOver = (slug: string) =>
    db.query(`UPDATE organizations SET erase_after = now() - interval '1 second' WHERE slug = $1`, [slug]);
  const erase = (slug: string, signal = NEVER) => app.get(OrganizationErasure).run(ids[slug] ?? '', signal);

  /** Tables with a row that holds the organization's id anywhere. */
  async function traces(slug: string): Promise<string[]> {
    const tables = await db.query<{ name: string }[]>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'migrations' ORDER BY 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await db.query(`SELECT 1 FROM "${name}" t WHERE t::text LIKE $1 LIMIT 1`, [`%${ids[slug]}%`]);
      if (rows.length > 0) found.push(name);
    }
    return found;
  }

  /** Filled rows refer to each other across organizations, which the service never writes. */
  async function giveRowsTo(slug: string): Promise<void> {
    const tables = await db.query<{ name: string }[]>(
      `SELECT table_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name = 'organization_id'
         AND table_name NOT IN ('members', 'users', 'api_keys', 'audit_entries', 'audit_chains', 'data_keys')`,
    );
    // Rows of a table that is bound to one organization by a composite key stay where they are.
    for (const { name } of tables)
      await db.query(`UPDATE "${name}" SET organization_id = $1`, [ids[slug]]).catch(() => undefined);
  }

  it('is suspended at once, with a code that says so and the date of the erasure', async () => {
    expect((await app.api('GET', '/api/v1/me', undefined, keys['physics'])).status).toBe(200);
    const ended = await end('physics', '?grace_days=7');
    expect([ended.status, ended.json.suspended]).toEqual([200, true]);
    const days = (Date.parse(ended.json.erase_after) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7);
    const refused = await app.api('GET', '/api/v1/me', undefined, keys['physics']);
    expect([refused.status, refused.json.code]).toEqual([403, 'organization_ended']);
    const again = await end('physics', '?grace_days=90');
    expect(again.json.erase_after).toBe(ended.json.erase_after);
    expect((await app.api('DELETE', `${ORGANIZATIONS}/physics/suspension`)).json.code).toBe('conflict');
    expect(await erase('physics')).toBeNull();
  });

  it('comes back within the grace period as it was', async () => {
    const restored = await app.api('POST', `${ORGANIZATIONS}/physics/restore`);
    expect([restored.status, restored.json.suspended, restored.json.erase_after]).toEqual([200, false, null]);
    expect((await app.api('GET', '/api/v1/me', undefined, keys['physics'])).status).toBe(200);
    expect((await app.api('POST', `${ORGANIZATIONS}/physics/restore`)).json.code).toBe('conflict');
    const { json } = await app.api('GET', '/api/v1/audit?action=organization.end');
    expect(json).toBeDefined();
  });

  it.each(['0', '366', 'x', '1.5'])('refuses a grace period of %s days', async (days) => {
    expect((await end('physics', `?grace_days=${days}`)).status).toBe(400);
  });

  it('cannot be the system organization, nor be ended by its own owner', async () => {
    expect((await end('default')).json.code).toBe('conflict');
    expect((await app.api('DELETE', `${ORGANIZATIONS}/physics`, undefined, keys['physics'])).status).toBe(403);
    expect((await end('nowhere')).status).toBe(404);
  });

  it('leaves every table and folder as it was before it came, with people, content and answers', async () => {
    // Seals of other organizations are written in the background.
    // The first receipt makes the key of the installation.
    // Ids of buffered writes are forgotten hours later.
    const background = ['audit_entries', 'audit_chains', 'data_keys', 'receipt_keys', 'applied_writes'];
    const rowsOfTables = async () => {
      const tables = await db.query<{ name: string }[]>(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'
           AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'kb_vectors%' AND table_name <> ALL ($1) ORDER BY 1`,
        [background],
      );
      const counts: Record<string, number> = {};
      for (const { name } of tables)
        counts[name] = (await db.query(`SELECT count(*)::int AS rows FROM "${name}"`))[0].rows;
      return counts;
    };
    const before = await rowsOfTables();
    const folders = () => readdirSync(app.dataDir, { recursive: true, encoding: 'utf8' });
    await app.api('POST', ORGANIZATIONS, { slug: 'chemistry', name: 'Chemistry' });
    const owner = await person(app, {
      organization: 'chemistry',
      role: 'owner',
      scopes: ['chat', 'read', 'write', 'admin'],
    });
    ids['chemistry'] = (await owner.api('GET', `${ORGANIZATIONS}/chemistry`)).json.id;
    await owner.api('PATCH', `${ORGANIZATIONS}/chemistry`, { providers: { openai: { api_key: 'sk-CANARY-key' } } });
    const base = `/api/v1/knowledge-bases/${(await owner.api('POST', '/api/v1/knowledge-bases', { name: 'Acids', language: 'en' })).json.id}`;
    await owner.api('POST', `${base}/documents`, filesForm(['acids.md', '# Acids\n\nA proton is given.']));
    await until(async () => (await owner.api('POST', `${base}/query`, { query: 'proton' })).json.results.length > 0);
    await owner.api('POST', '/api/v1/files', filesForm(['notes.md', 'Notes of chemistry']));
    const metadata = {
      connector: 'bypass',
      llm: 'debug-bypass',
      prompt_processor: 'simple_augment',
      rag_processor: 'no_rag',
    };
    const { id } = (await owner.api('POST', '/api/v1/assistants', { name: 'Tutor', metadata })).json;
    const asked = { messages: [{ role: 'user', content: 'What is an acid?' }] };
    const { id: run } = (await owner.api('POST', `/api/v1/assistants/${id}/runs`, asked)).json;
    await until(async () => (await owner.api('GET', `/api/v1/runs/${run}`)).json.status === 'completed');

    const archive = await supertest(app.url)
      .post(`${ORGANIZATIONS}/chemistry/data-export`)
      .set('authorization', `Bearer ${owner.key}`)
      .responseType('blob');
    expect([archive.status, archive.headers['content-type']]).toEqual([200, 'application/zip']);
    const entries = await unzipped(archive.body as Buffer);
    const rows = (table: string): any[] => JSON.parse(entries.get(`data/${table}.json`) ?? 'null');
    expect(rows('organizations')).toMatchObject([
      { slug: 'chemistry', settings: { providers: { openai: { api_key: null } } } },
    ]);
    expect(rows('users')).toEqual([expect.objectContaining({ email: owner.email })]);
    expect(rows('runs')).toHaveLength(1);
    expect(rows('run_events').length).toBeGreaterThan(0);
    expect(entries.get('documents/acids/acids.md')).toContain('A proton');
    expect(entries.get(`files/${owner.email}/notes.md`)).toBe('Notes of chemistry');
    const { tables, missing_files, left_out } = JSON.parse(entries.get('manifest.json') ?? '{}');
    expect([missing_files, left_out['sessions']]).toEqual([[], 'secrets']);
    expect(tables).toContainEqual({ table: 'assistants', rows: 1 });
    expect([...entries.values()].join('')).not.toMatch(/CANARY|"hash"/);

    await end('chemistry');
    const refused = await owner.api('POST', `${ORGANIZATIONS}/chemistry/data-export`);
    expect(refused.json.code).toBe('organization_ended');
    expect((await app.api('POST', `${ORGANIZATIONS}/chemistry/data-export`)).status).toBe(200);
    await graceIsOver('chemistry');
    await erase('chemistry');
    expect(await rowsOfTables()).toEqual(before);
    expect(await traces('chemistry')).toEqual(['audit_entries']);
    expect(folders().filter((path) => path.includes(ids['chemistry'] ?? '-'))).toEqual([]);
  });

  it('exports every table that it has rows in, or says why not', async () => {
    const exported = (await app.get(OrganizationExportRepository).tables()).map(({ table }) => table);
    const tables = await db.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
    );
    const told = [...exported, ...Object.keys(NOT_EXPORTED), ...INSTALLATION_TABLES, 'migrations'];
    expect(tables.map(({ name }) => name).filter((name) => !told.includes(name) && !/^kb_vectors/.test(name))).toEqual(
      [],
    );
  });

  it('leaves no row and no file when it is erased, also by a worker that died half-way', async () => {
    await fillTables(db, 3);
    await giveRowsTo('physics');
    await app.api('POST', '/api/v1/assistants', { name: 'Tutor' }, keys['physics']);
    await app.api('POST', '/api/v1/files', filesForm(['notes.md', 'Notes']), keys['physics']);
    await app.api('POST', '/api/v1/knowledge-bases', { name: 'Cells', language: 'en' }, keys['physics']);
    const before = await traces('physics');
    expect(before.length).toBeGreaterThan(30);
    const historyBefore = await traces('history');
    const files = join(app.dataDir, 'files', ids['physics'] ?? '');
    expect(existsSync(files)).toBe(true);

    await end('physics');
    await graceIsOver('physics');
    // Dies after some batches.
    let looks = 0;
    const dying = {
      throwIfAborted: () => {
        if ((looks += 1) > 12) throw new Error('died');
      },
    } as AbortSignal;
    await expect(erase('physics', dying)).rejects.toThrow('died');
    const halfway = await traces('physics');
    expect(halfway).toContain('organizations');
    expect((await app.api('POST', `${ORGANIZATIONS}/physics/restore`)).json).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('has begun'),
    });

    const report = await erase('physics');
    expect(report).toMatchObject({
      slug: 'physics',
      erased: expect.objectContaining({ assistants: expect.any(Number) }),
    });
    expect(await traces('physics')).toEqual(['audit_entries']);
    expect(existsSync(files)).toBe(false);
    expect(await db.query(`SELECT 1 FROM users WHERE email = 'owner@physics.example'`)).toEqual([]);
    // Filled rows put people of it into groups and courses of the other one.
    const crossing = [
      // The first seal of an organization makes its key, in the background.
      'data_keys',
      'group_members',
      'lti_activity_people',
      'lti_bridges',
      'lti_course_people',
      'lti_identities',
      'lti_selections',
    ];
    const own = (tables: string[]) => tables.filter((table) => !crossing.includes(table));
    expect(own(await traces('history'))).toEqual(own(historyBefore));

    const kept = await db.query(
      `SELECT action, target_id, after FROM audit_entries WHERE action = 'organization.erase' AND target_id = $1`,
      [ids['physics']],
    );
    expect(kept).toMatchObject([{ target_id: ids['physics'], after: { slug: 'physics', erased: report?.erased } }]);
    expect(await erase('physics')).toBeNull();
    const gone = await app.api('GET', '/api/v1/me', undefined, keys['physics']);
    expect([gone.status, gone.json.code]).toEqual([401, 'unauthenticated']);
  });

  it('gives its archive to owners only', async () => {
    const admin = await person(app, { organization: 'history', role: 'admin', scopes: ['read', 'admin'] });
    const statuses = [];
    for (const slug of ['history', 'default'])
      statuses.push((await admin.api('POST', `${ORGANIZATIONS}/${slug}/data-export`)).status);
    expect(statuses).toEqual([403, 404]);
  });

  it('is found by the sweep and erased by a job', async () => {
    await end('history');
    await graceIsOver('history');
    await app.get<unknown, { enqueue(): Promise<void> }>(OrganizationErasureJobs).enqueue();
    await until(
      async () => (await db.query(`SELECT 1 FROM organizations WHERE slug = 'history'`)).length === 0,
      15_000,
    );
    expect(await traces('history')).toEqual(['audit_entries']);
    expect((await app.api('GET', `${ORGANIZATIONS}/history`)).status).toBe(404);
  });
});
