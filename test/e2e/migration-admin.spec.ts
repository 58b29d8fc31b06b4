import { Command } from 'commander';
import { DataSource } from 'typeorm';
import { registerAssistantCommands } from '../../src/cli/assistants/assistants.commands';
import { type CommandResult, SILENT } from '../../src/infrastructure/commands';
import { MigrationJobs } from '../../src/migration/migration-admin.service';
import { CONFIG } from '../../src/infrastructure/config';
import { startApp, type TestApp } from '../support/app';
import { foreignOrganization, keyOf, person, type Person } from '../support/people';
import { until } from '../support/until';

const notAsked = (): Promise<never> => Promise.reject(new Error('This command asks for no application'));

const PATH = '/api/v1/admin/migrations';
const CLASSIC = {
  prompt_processor: 'simple_augment',
  connector: 'bypass',
  llm: 'debug-bypass',
  rag_processor: 'no_rag',
};
const ADMIN = ['read', 'write', 'chat', 'admin'];

let app: TestApp;
let foreign: Person;
let slug: string;
beforeAll(async () => {
  app = await startApp();
  slug = await foreignOrganization(app);
  foreign = await person(app, { role: 'admin', organization: slug, scopes: ADMIN });
});
afterAll(() => app.stop());

const create = async (by: Pick<Person, 'api'> = app, more: object = {}): Promise<number> => {
  const body = {
    name: 'Classic',
    prompt_template: 'X {context} Y {user_input}',
    metadata: { ...CLASSIC, odd: 1 },
    ...more,
  };
  return (await by.api('POST', '/api/v1/assistants', body)).json.id;
};
const stored = async (id: number, by: Pick<Person, 'api'> = app): Promise<string> => {
  const { json } = await by.api('GET', `/api/v1/assistants/${id}`);
  return JSON.stringify([json.metadata, json.prompt_template, json.type]);
};
const settled = async (id: string, by: Pick<Person, 'api'> = app): Promise<any> => {
  let seen: any;
  await until(async () => {
    seen = (await by.api('GET', `${PATH}/${id}`)).json;
    return seen.task === null;
  });
  return seen;
};

/** The data of an operator command, whose application is the running one. */
async function command(name: string, options: object): Promise<any> {
  let data: Promise<unknown> = Promise.reject(new Error('no such command'));
  data.catch(() => undefined);
  const context = {
    args: [],
    environment: {},
    progress: SILENT,
    signal: new AbortController().signal,
    withApplication: notAsked,
  };
  registerAssistantCommands(new Command(), (each, work) => {
    if (each.name() === name)
      data = Promise.resolve().then(() => work(app.get(CONFIG), { ...options, json: true } as never, context));
  });
  return ((await data) as CommandResult).data;
}

describe('migrations over HTTP', () => {
  it('are planned, applied in the background, verified and taken back', async () => {
    const ids = [await create(), await create(), await create()];
    const before = await Promise.all(ids.map((id) => stored(id)));
    const dry = await app.api('POST', PATH, { dry_run: true });
    expect([dry.status, dry.json.migrate, dry.json.failed]).toEqual([200, 3, 0]);
    expect(dry.json.rewrites[0].diff.join('\n')).toContain('-X {context} Y {user_input}');
    expect(await Promise.all(ids.map((id) => stored(id)))).toEqual(before);

    const begun = await app.api('POST', PATH, {}, { 'idempotency-key': 'once' });
    expect([begun.status, begun.headers.get('location')]).toEqual([202, `${PATH}/${begun.json.id}`]);
    const again = await app.api('POST', PATH, {}, { 'idempotency-key': 'once' });
    expect([again.json.id, again.headers.get('idempotent-replayed')]).toEqual([begun.json.id, 'true']);
    const done = await settled(begun.json.id);
    expect(done).toMatchObject({ state: 'done', total: 3, examined: 3, migrated: 3, failed: 0, lease: null });
    expect(done.items.items.map(({ status }: { status: string }) => status)).toEqual([
      'migrated',
      'migrated',
      'migrated',
    ]);
    const audit = await app.api('GET', '/api/v1/organizations/default/audit?limit=100');
    const entry = audit.json.items.find(({ id }: { id: string }) => id === done.items.items[0].audit_id);
    expect(entry).toMatchObject({ action: 'assistant.migrate', target: { type: 'assistant', id: String(ids[0]) } });
    expect(entry.actor.user_id).not.toBeNull();
    expect([entry.before.format_version, entry.after.format_version]).toEqual([1, 3]);
    expect((await stored(ids[0] ?? 0)).includes('multi_tool')).toBe(true);

    const status = await app.api('GET', PATH);
    expect(status.json.organizations.find(({ slug: name }: { slug: string }) => name === 'default')).toMatchObject({
      total: 3,
      versions: [{ version: 3, type: 'multi_tool', count: 3 }],
    });
    expect(status.json.batches.items[0].id).toBe(begun.json.id);

    expect((await app.api('POST', `${PATH}/${begun.json.id}/verify`)).status).toBe(202);
    expect((await settled(begun.json.id)).result).toMatchObject({ task: 'verify', sound: 3, fault_count: 0 });
    const single = await app.api('POST', `${PATH}/${begun.json.id}/rollback`, { assistant_id: ids[1] });
    expect([single.status, single.json]).toMatchObject([
      200,
      { batch: begun.json.id, rolled_back: 1, edited_count: 0 },
    ]);
    expect(await stored(ids[1] ?? 0)).toBe(before[1]);
    await app.api('PATCH', `/api/v1/assistants/${ids[2]}`, { description: 'saved since' });
    const refused = await app.api('POST', `${PATH}/${begun.json.id}/rollback`, {});
    expect([refused.status, refused.json.errors[0].path]).toEqual([409, `assistants.${ids[2]}`]);
    expect((await app.api('POST', `${PATH}/${begun.json.id}/rollback`, { force: true })).status).toBe(202);
    expect(await settled(begun.json.id)).toMatchObject({
      state: 'rolled_back',
      rolled_back: 3,
      result: { rolled_back: 2, edited: [{ assistant_id: ids[2], new_version: 2, version: 3 }], edited_count: 1 },
    });
    expect(await Promise.all(ids.map((id) => stored(id)))).toEqual(before);
    expect((await app.api('POST', `${PATH}/${begun.json.id}/rollback`, {})).status).toBe(409);
  });

  it('reach as far as the administrator does', async () => {
    const [mine, theirs] = [await create(), await create(foreign)];
    const own = await foreign.api('POST', PATH, {});
    expect(own.status).toBe(202);
    expect(await settled(own.json.id, foreign)).toMatchObject({ state: 'done', migrated: 1, total: 1 });
    expect(await stored(mine)).toContain('"classic"');
    expect(await stored(theirs, foreign)).toContain('"multi_tool"');
    const status = await foreign.api('GET', PATH);
    expect(status.json.organizations.map(({ slug: name }: { slug: string }) => name)).toEqual([slug]);
    expect(status.json.batches.items.map(({ id }: { id: string }) => id)).toEqual([own.json.id]);
    expect((await foreign.api('POST', PATH, { org: 'default' })).status).toBe(404);
    expect((await app.api('POST', PATH, { dry_run: true, org: slug })).json).toMatchObject({ examined: 1, current: 1 });
  });

  it('lost by the server are taken up again', async () => {
    const id = await create();
    const begun = await app.api('POST', PATH, { to: 2 });
    await settled(begun.json.id);
    const db = app.get(DataSource);
    // As a server leaves it that was killed during a rollback and whose job was lost.
    await db.query(
      `UPDATE migration_batches SET task = 'rollback', state = 'rolling_back', background = true WHERE id = $1`,
      [begun.json.id],
    );
    // Again until it has begun: the job of the first task may still be ending.
    await until(async () => {
      await app.get(MigrationJobs).takeUp({ alone: true, first: true });
      return (await app.api('GET', `${PATH}/${begun.json.id}`)).json.task === null;
    });
    expect(await settled(begun.json.id)).toMatchObject({ state: 'rolled_back' });
    expect(await stored(id)).toContain('"classic"');
  });

  it('are told by commands as over HTTP', async () => {
    const id = await create();
    const dry = await app.api('POST', PATH, { dry_run: true, org: 'default' });
    expect(dry.json.rewrites.map((each: { assistant_id: number }) => each.assistant_id)).toContain(id);
    const planned = await command('assistants:migrate', { dryRun: true, org: 'default', diffs: '20' });
    expect(planned).toEqual({ batch: null, migrated: 0, ...dry.json });
    const applied = await command('assistants:migrate', { apply: true, org: 'default', batchSize: '10' });
    const { items: _items, id: batch, ...told } = (await app.api('GET', `${PATH}/${applied.batch}`)).json;
    expect(applied).toMatchObject({ batch, ...told });
    await expect(command('assistants:migrate', { apply: true, dryRun: true })).rejects.toThrow('--dry-run');
  });

  it('refuse what they do not know', async () => {
    for (const body of [{ to: 4 }, { to: '3' }, { dry_run: 'yes' }, { org: 7 }, { unknown: true }])
      expect((await app.api('POST', PATH, body)).status).toBe(400);
    expect((await app.api('POST', PATH, { org: 'nobody' })).status).toBe(404);
    for (const id of ['nonsense', '01a203a9-d044-7000-9899-840d8cca8ca2']) {
      expect((await app.api('GET', `${PATH}/${id}`)).status).toBe(404);
      expect((await app.api('POST', `${PATH}/${id}/rollback`, {})).status).toBe(404);
      expect((await app.api('POST', `${PATH}/${id}/verify`)).status).toBe(404);
    }
  });
});

describe('every route of migrations', () => {
  it('refuses whoever is no administrator, and hides other organizations’ batches', async () => {
    const begun = await app.api('POST', PATH, { org: 'default' });
    await settled(begun.json.id);
    const id: string = begun.json.id;
    const member = await person(app, { role: 'member', scopes: ['chat', 'read', 'write'] });
    const teacher = await person(app, { role: 'teacher', scopes: ['chat', 'read', 'write'] });
    const admin = await person(app, { role: 'admin', scopes: ['read'] });
    const chat = await keyOf(app, 'admin@localhost', { scopes: ['chat'] });
    const routes: [string, string, object?][] = [
      ['GET', ''],
      ['POST', '', { dry_run: true }],
      ['POST', '', {}],
      ['GET', `/${id}`],
      ['POST', `/${id}/rollback`, {}],
      ['POST', `/${id}/verify`],
    ];
    const answers = async (by: Pick<Person, 'api'>): Promise<number[]> =>
      Promise.all(routes.map(async ([method, path, body]) => (await by.api(method, PATH + path, body)).status));
    for (const somebody of [member, teacher, admin, chat])
      expect(await answers(somebody)).toEqual([403, 403, 403, 403, 403, 403]);
    const none = { authorization: 'Bearer bw_nothing' };
    for (const [method, path, body] of routes)
      expect((await app.api(method, PATH + path, body, none)).status).toBe(401);
    const onId = routes.slice(3);
    for (const [method, path, body] of onId) expect((await foreign.api(method, PATH + path, body)).status).toBe(404);
    expect((await settled(id)).state).toBe('done');
  });
});
