import { AppError, type Caller } from '@bellwether/kernel';
import type { DataSource } from 'typeorm';
import { AssistantRewrites } from '../../src/assistants';
import { MigrationBatches, MigrationPlanner, type TaskControl } from '../../src/migration';
import { MigrationJobs } from '../../src/migration/migration-admin.service';
import { BatchApplier } from '../../src/migration/tasks/batch-applier.service';
import { BatchRepository } from '../../src/migration/batches/batch.repository';
import { MigrationCandidates } from '../../src/migration/tasks/migration-planner.service';
import { BatchLeases } from '../../src/migration/batches/batch-lease.service';
import { ownIdentity, Transactions } from '../../src/infrastructure/database';
import { startApp, type TestApp } from '../support/app';
import { openTestDatabase } from '../support/database';
import { foreignOrganization, person } from '../support/people';
import { definitionOf, migrationFixtures } from '../support/migrator';
import { storeAssistants, storeDefinitions, storedDocuments } from '../support/stored-assistants';
import { until } from '../support/until';

const worker = { label: 'a test', actor: null };
const going: TaskControl = { signal: new AbortController().signal, report: () => undefined };

let app: TestApp;
let db: DataSource;
let batches: MigrationBatches;
beforeAll(async () => {
  app = await startApp();
  db = await openTestDatabase();
  batches = app.get(MigrationBatches);
});
afterAll(async () => {
  await db.destroy();
  await app.stop();
});
beforeEach(async () => {
  await db.query(
    `SELECT set_config('bellwether.audit_change', 'prune', true);
     TRUNCATE migration_batches, migration_items, assistants, assistant_versions, audit_entries RESTART IDENTITY CASCADE`,
  );
});

async function one<T>(text: string, values: unknown[] = []): Promise<T> {
  const [row] = await db.query<[T]>(text, values);
  return row;
}
const organizationId = async (slug = 'default'): Promise<string> =>
  (await one<{ id: string }>('SELECT id FROM organizations WHERE slug = $1', [slug])).id;

const fill = async (count: number, slug?: string): Promise<void> =>
  storeAssistants(db, count, await organizationId(slug));
const documents = (): Promise<string> => storedDocuments(db);
const figure = async (text: string): Promise<number> =>
  (await one<{ n: number }>(`SELECT count(*)::int AS n ${text}`)).n;
const apply = (size = 7, control = going, organization: string | null = null) =>
  batches.apply({ organizationId: organization, to: 3, batchSize: size }, worker, control);

/** Stops after so many reports of progress: the first comes before anything is done. */
function stopAfter(reports: number): TaskControl {
  const stop = new AbortController();
  let seen = 0;
  return { signal: stop.signal, report: () => void ((seen += 1) > reports && stop.abort()) };
}

describe('a batch', () => {
  it('takes every shape ever written to what it always became, and back to the letter', async () => {
    const fixtures = migrationFixtures();
    await storeDefinitions(db, fixtures.map(definitionOf), await organizationId());
    const before = await documents();
    const { batch } = await apply(20);
    expect(batch).toMatchObject({ examined: fixtures.length, failed: 0, skipped: 0, state: 'done' });
    const rows: { metadata: string; prompt_template: string }[] = await db.query(
      'SELECT metadata, prompt_template FROM assistants ORDER BY id',
    );
    for (const [n, { name, ...fixture }] of fixtures.entries()) {
      const expected = fixture['3'];
      if (expected === undefined) continue;
      const { metadata = '', prompt_template } = rows[n] ?? {};
      expect({ name, metadata: JSON.parse(metadata), prompt_template }).toEqual({ name, ...expected });
    }
    await batches.rollBack(batch.id, false, worker, going);
    expect(await documents()).toBe(before);
  });

  it('is applied, proved again and rolled back', async () => {
    await fill(25);
    const before = await documents();
    const { batch, complete } = await apply();
    expect({ complete, state: batch.state, examined: batch.examined, migrated: batch.migrated }).toEqual({
      complete: true,
      state: 'done',
      examined: 25,
      migrated: 25,
    });
    expect(await figure(`FROM assistants WHERE metadata::json->>'_format_version' = '3' AND type = 'multi_tool'`)).toBe(
      25,
    );
    expect(await figure(`FROM audit_entries WHERE action = 'assistant.migrate'`)).toBe(25);
    expect(await figure(`FROM migration_items i JOIN audit_entries a ON a.id = i.audit_id`)).toBe(25);
    const verified = await batches.verify(batch.id, worker, going);
    expect(verified.report).toMatchObject({ checked: 25, sound: 25, faultCount: 0, faults: [], complete: true });
    const back = await batches.rollBack(batch.id, false, worker, going);
    expect(back.report).toMatchObject({ rolledBack: 25, editedCount: 0, gone: 0, complete: true });
    expect(back.batch).toMatchObject({ state: 'rolled_back', rolledBack: 25, task: null, lease: null });
    expect(await documents()).toBe(before);
    expect((await batches.verify(batch.id, worker, going)).report).toMatchObject({ sound: 25, faultCount: 0 });
  });

  it('is planned without a word written', async () => {
    await fill(12);
    const before = await documents();
    const plan = await app.get(MigrationPlanner).plan({ organizationId: null, to: 3 }, 3, going);
    expect(plan).toMatchObject({ examined: 12, migrate: 12, failed: 0, skipped: 0, complete: true });
    expect(plan.rewrites).toHaveLength(3);
    expect(plan.rewrites[1]?.diff.join('\n')).toContain('rag_processor');
    expect(plan.versions.reduce((sum, { count }) => sum + count, 0)).toBe(12);
    expect([await documents(), await figure('FROM migration_batches')]).toEqual([before, 0]);
  });

  it('leaves what cannot be migrated as it is, and says why', async () => {
    await fill(3);
    const future = '{"_format_version": 4, "connector": "bypass"}';
    await db.query(`UPDATE assistants SET metadata = $1 WHERE id = 2`, [future]);
    const { batch } = await apply();
    expect(batch).toMatchObject({ migrated: 2, failed: 1, state: 'done' });
    const [failure] = await batches.failures(batch.id);
    const [named] = await db.query<{ name: string }[]>('SELECT name FROM assistants WHERE id = 2');
    expect(failure).toMatchObject({ assistantId: 2, name: named?.name, status: 'failed', newVersion: null });
    expect(failure?.problems.map(({ code }) => code)).toEqual(['metadata.future_version']);
    expect(await one('SELECT metadata, version FROM assistants WHERE id = 2')).toEqual({
      metadata: future,
      version: 1,
    });
  });

  it('passes over organizations without multi-tool assistants', async () => {
    const slug = await foreignOrganization(app);
    await app.api('PATCH', `/api/v1/organizations/${slug}`, { features: { multi_tool: false } });
    await fill(3);
    await fill(2, slug);
    const { batch } = await apply();
    expect(batch).toMatchObject({ examined: 5, migrated: 3, skipped: 2, failed: 0 });
  });

  it('does nothing to what is in its version already', async () => {
    await fill(5);
    await apply();
    const { batch } = await apply();
    expect(batch).toMatchObject({ examined: 5, migrated: 0, skipped: 0, failed: 0 });
  });

  it('stops between chunks when asked, and goes on where it was', async () => {
    await fill(20);
    const first = await apply(6, stopAfter(2));
    expect(first).toMatchObject({ complete: false, batch: { state: 'interrupted', examined: 12, migrated: 12 } });
    const second = await apply(6);
    expect(second.batch).toMatchObject({ id: first.batch.id, state: 'done', examined: 20, migrated: 20 });
    const third = await batches.rollBack(second.batch.id, false, worker, stopAfter(1));
    expect(third).toMatchObject({ complete: false, batch: { state: 'rolling_back' } });
    const last = await batches.rollBack(second.batch.id, false, worker, going);
    expect(last.batch).toMatchObject({ state: 'rolled_back', rolledBack: 20 });
  });

  it('that was stopped can be rolled back as far as it got', async () => {
    await fill(20);
    const before = await documents();
    const { batch } = await apply(6, stopAfter(1));
    expect((await batches.rollBack(batch.id, false, worker, going)).report.rolledBack).toBe(6);
    expect(await documents()).toBe(before);
  });
});

describe('a chunk', () => {
  it('is stopped by no single document: the culprit has failed, the others are migrated', async () => {
    await fill(7);
    const rewrites = app.get(AssistantRewrites);
    const plan = rewrites.plan.bind(rewrites);
    const broken = jest.spyOn(rewrites, 'plan').mockImplementation((subject, to) => {
      if (subject.id === 4) throw new TypeError('nobody expected this');
      return plan(subject, to);
    });
    const { batch } = await apply(5).finally(() => broken.mockRestore());
    expect(batch).toMatchObject({ state: 'done', examined: 7, migrated: 6, failed: 1 });
    expect(await batches.failures(batch.id)).toMatchObject([
      { assistantId: 4, problems: [{ code: 'assistant.unexpected' }] },
    ]);
  });

  it('stops while the database is away, and goes on later', async () => {
    await fill(4);
    const rewrites = app.get(AssistantRewrites);
    const away = jest.spyOn(rewrites, 'apply').mockRejectedValue(new AppError('unavailable', 'away'));
    await expect(apply(2).finally(() => away.mockRestore())).rejects.toMatchObject({ code: 'unavailable' });
    expect((await apply(2)).batch).toMatchObject({ state: 'done', migrated: 4, failed: 0 });
  });

  it('holds a few megabytes of documents at the most', async () => {
    await fill(5);
    await db.query(`UPDATE assistants SET description = repeat('x', 1500000) WHERE id < 5`);
    const sizes: number[] = [];
    for await (const page of app
      .get(MigrationCandidates)
      .pages({ organizationId: null }, { afterId: 0, limit: 100, signal: going.signal }))
      sizes.push(page.length);
    expect(sizes).toEqual([2, 3]);
  });
});

describe('a batch after another', () => {
  it('is rolled back after it, to the letter', async () => {
    await fill(6);
    const before = await documents();
    const first = await batches.apply({ organizationId: null, to: 2, batchSize: 4 }, worker, going);
    const second = await apply(4);
    expect((await batches.rollBack(second.batch.id, false, worker, going)).report).toMatchObject({ editedCount: 0 });
    const back = await batches.rollBack(first.batch.id, false, worker, going);
    expect([back.report.editedCount, back.batch.state]).toEqual([0, 'rolled_back']);
    expect(await documents()).toBe(before);
  });
});

describe('a task that waits for the server', () => {
  const caller = async (userId: string): Promise<Caller> => ({
    kind: 'token',
    credentialId: null,
    organizationId: await organizationId(),
    userId,
    organizationSlug: 'default',
    role: 'admin',
    systemAdmin: false,
    scopes: ['admin'],
    assistantIds: null,
  });
  const later = async (actor: Caller) =>
    app
      .get(BatchLeases)
      .beginLater({ organizationId: actor.organizationId, to: 3, batchSize: 5 }, actor, () => Promise.resolve());
  const put = async (id: string): Promise<void> => {
    await app.get(MigrationJobs).takeUp({ alone: false, first: false });
    await until(async () => (await batches.find(id)).task === null);
  };

  it('is not cancelled by another task of the same batch', async () => {
    await fill(10);
    const { batch } = await apply(5, stopAfter(1), await organizationId());
    const { userId } = await person(app, { role: 'admin' });
    const actor = await caller(userId);
    expect(await later(actor)).toMatchObject({ id: batch.id, state: 'queued' });
    const refusal = { code: 'conflict', detail: expect.stringContaining('waits for the server') };
    await expect(batches.verify(batch.id, worker, going)).rejects.toMatchObject(refusal);
    await expect(batches.rollBackOne(batch.id, 1, false, worker)).rejects.toMatchObject(refusal);
    await expect(batches.rollBack(batch.id, false, worker, going)).rejects.toMatchObject(refusal);
    await put(batch.id);
    expect(await batches.find(batch.id)).toMatchObject({ state: 'done', migrated: 10, failure: null });
  });

  it('is done on the rights of now, or ends with the reason', async () => {
    await fill(3);
    const { userId } = await person(app, { role: 'teacher' });
    const refused = await later(await caller(userId));
    await put(refused.id);
    expect(await batches.find(refused.id)).toMatchObject({
      state: 'interrupted',
      migrated: 0,
      failure: { task: 'apply', code: 'forbidden', detail: expect.stringContaining('no longer an administrator') },
    });
    const gone = await later(await caller('00000000-0000-7000-8000-00000000dead'));
    await put(gone.id);
    expect((await batches.find(gone.id)).failure).toMatchObject({ code: 'unauthenticated' });
    const done = await apply(5, going, await organizationId());
    expect(done.batch).toMatchObject({ id: refused.id, state: 'done', migrated: 3, failure: null, batchSize: 5 });
  });

  it('tells a person who is refused neither of processes nor of other batches', async () => {
    await fill(3);
    const { batch } = await apply(2, stopAfter(1));
    const held = await app.get(BatchLeases).claim(batch.id, { task: 'apply' }, 'process 1 on that.host');
    const { userId } = await person(app, { role: 'admin' });
    const error = await later(await caller(userId)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'conflict', detail: expect.not.stringMatching(/process \d|host/) });
    expect(JSON.stringify(error)).not.toContain(batch.id);
    await app.get(BatchLeases).release(held, { state: 'interrupted', task: null, result: null });
  });
});

describe('later edits', () => {
  const edit = async (id: number): Promise<void> => {
    const { status, text } = await app.api('PATCH', `/api/v1/assistants/${id}`, { description: 'mine' });
    if (status !== 200) throw new Error(text);
  };

  it('stand in the way of a rollback, unless it is forced', async () => {
    await fill(6);
    const before = await documents();
    const { batch } = await apply();
    await edit(1);
    await edit(6);
    const after = await documents();
    const refused = batches.rollBack(batch.id, false, worker, going);
    await expect(refused).rejects.toMatchObject({
      code: 'conflict',
      problems: [{ path: 'assistants.1' }, { path: 'assistants.6' }],
    });
    expect(await documents()).toBe(after);
    expect((await batches.verify(batch.id, worker, going)).report).toMatchObject({
      sound: 4,
      edited: 2,
      faultCount: 0,
    });
    await expect(batches.rollBackOne(batch.id, 1, false, worker)).rejects.toMatchObject({ code: 'conflict' });
    expect(await batches.rollBackOne(batch.id, 3, false, worker)).toMatchObject({ rolledBack: 1 });
    const forced = await batches.rollBack(batch.id, true, worker, going);
    expect(forced.report).toMatchObject({
      rolledBack: 5,
      editedCount: 2,
      edited: [{ assistantId: 1, version: 3 }, { assistantId: 6 }],
    });
    expect(forced.batch).toMatchObject({ state: 'rolled_back', rolledBack: 6 });
    expect((await documents()).replaceAll('"mine"', '""')).toBe(before);
  });

  it('are told from tampering', async () => {
    await fill(3);
    const { batch } = await apply();
    await db.query(`UPDATE assistants SET metadata = metadata || ' ' WHERE id = 1`);
    await db.query(`UPDATE assistant_versions SET metadata = '{}' WHERE assistant_id = 2 AND version = 1`);
    const { report } = await batches.verify(batch.id, worker, going);
    expect(report.faults.map(({ assistantId, code }) => [assistantId, code])).toEqual([
      [1, 'document.differs'],
      [2, 'history.differs'],
    ]);
    const back = await batches.rollBack(batch.id, true, worker, going);
    expect(back.report).toMatchObject({ rolledBack: 2, historyMissing: 1, gone: 0 });
    expect(back.batch.state).toBe('done');
    expect(await figure(`FROM assistants WHERE id = 2 AND version = 2 AND type = 'multi_tool'`)).toBe(1);
  });
});

describe('a lease', () => {
  const holder = (pid: number) => ({ label: `process ${pid}`, process: { ...ownIdentity(), pid } });
  const leaseTo = (id: string, pid: number): Promise<void> =>
    app
      .get(Transactions)
      .run((tx) =>
        app
          .get(BatchRepository)
          .claim(
            { batchId: id, token: '00000000-0000-7000-8000-000000000001', seconds: 30 },
            { task: 'apply', state: 'running', forced: false },
            false,
            holder(pid),
            tx,
          ),
      );

  it('is respected while its holder lives, whatever the scope', async () => {
    await fill(10);
    const { batch } = await apply(6, stopAfter(1));
    await leaseTo(batch.id, process.pid);
    await expect(apply()).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringMatching(/process \d+, .*until \d{4}-/),
    });
    await expect(apply(7, going, await organizationId())).rejects.toMatchObject({ code: 'conflict' });
    await expect(batches.rollBack(batch.id, false, worker, going)).rejects.toMatchObject({ code: 'conflict' });
    await expect(batches.rollBackOne(batch.id, 1, false, worker)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('of a process that has ended is taken over at once', async () => {
    await fill(10);
    const { batch } = await apply(6, stopAfter(1));
    await leaseTo(batch.id, 2 ** 22 + 1);
    expect((await apply()).batch).toMatchObject({ id: batch.id, state: 'done', migrated: 10 });
  });

  it('that was lost stops its holder before it writes', async () => {
    await fill(10);
    const { batch } = await apply(5, stopAfter(1));
    const held = await app.get(BatchLeases).claim(batch.id, { task: 'apply' }, 'the slow one');
    await leaseTo(batch.id, process.pid);
    await expect(app.get(BatchApplier).run(held, null, going)).rejects.toMatchObject({ code: 'conflict' });
    expect(await figure(`FROM migration_items`)).toBe(5);
  });

  it('lets only one of two that begin at once work', async () => {
    await fill(40);
    const both = await Promise.allSettled([apply(5), apply(5)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await figure(`FROM audit_entries WHERE action = 'assistant.migrate' AND target_id = '40'`)).toBe(1);
    expect(await figure('FROM migration_items')).toBe(40);
  });
});
