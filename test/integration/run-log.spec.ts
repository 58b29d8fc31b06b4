import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Transactions } from '../../src/infrastructure/database';
import { OrganizationRowsRepository } from '../../src/privacy/organization/organization-rows.repository';
import { PersonRowsRepository } from '../../src/privacy/person-rows.repository';
import { PERSON_TABLES } from '../../src/privacy/person-tables';
import { type Run, RunLogCheck, entriesIn } from '../../src/runs';
import { KeysInMemory } from '../../src/runs/testing/signed-receipts';
import { openTestDatabase, resetDatabase } from '../support/database';
import { addOrganization, runProcess, type RunProcess, storedRunInput } from '../support/run-process';

let dataSource: DataSource;
let here: RunProcess;
let organizationId: string;
beforeAll(async () => {
  dataSource = await openTestDatabase();
});
beforeEach(async () => {
  await resetDatabase(dataSource);
  organizationId = await addOrganization(dataSource);
  here = runProcess(dataSource);
});
afterEach(() => here.stop());
afterAll(() => dataSource.destroy());

const end = (run: Run): void => here.runs.finish(run, { status: 'completed' });
const begin = (organization = organizationId): Run => here.runs.open(storedRunInput({ organizationId: organization }));
const segments = (): Promise<any[]> => dataSource.query('SELECT * FROM run_segments ORDER BY id');

/** Statements that write, while `work` runs. */
async function written(work: () => Promise<void>): Promise<string[]> {
  const statements = jest.spyOn(dataSource, 'query');
  await work();
  const texts = statements.mock.calls.map(([text]) => String(text).trim());
  statements.mockRestore();
  return texts.filter((text) => /\bINSERT\b/.test(text));
}

describe('ended runs', () => {
  it('become one segment and one statement, however many end together', async () => {
    const runs = Array.from({ length: 200 }, () => begin());
    const statements = await written(async () => {
      runs.forEach(end);
      await here.runs.flush();
    });
    expect(statements).toHaveLength(1);
    expect(await segments()).toMatchObject([{ organization_id: organizationId, count: 200, number: 0 }]);
    const record = await here.runs.find(organizationId, runs[77]?.id ?? '');
    expect(record?.events).toEqual(runs[77]?.recorded);
    expect(JSON.stringify(record?.events)).toBe(JSON.stringify(runs[77]?.recorded));
  });

  it('are in segments of their own by organization and by the organization that asked', async () => {
    const other = await addOrganization(dataSource);
    const own = storedRunInput({ organizationId });
    const asked = { ...own, caller: { ...own.caller, organizationId: other } };
    [begin(), begin(other), here.runs.open(asked), begin()].forEach(end);
    await here.runs.flush();
    const found = await segments();
    expect(found.map((segment) => [segment.organization_id, segment.caller_organization_id, segment.count])).toEqual(
      expect.arrayContaining([
        [organizationId, null, 2],
        [organizationId, other, 1],
        [other, null, 1],
      ]),
    );
    const [first, second] = found.filter((segment) => segment.organization_id === organizationId);
    expect([second.number, second.previous_root]).toEqual([1, first.root]);
  });

  it('are stored once when the answer to their insert is lost', async () => {
    const run = begin();
    const insert = jest.spyOn(here.repository, 'insertAll').mockImplementationOnce(async (sealed) => {
      await here.repository.insertAll(sealed);
      throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    });
    end(run);
    await expect(here.runs.flush()).rejects.toThrow('gone');
    end(begin());
    await here.runs.flush();
    insert.mockRestore();
    const found = await segments();
    expect(found.map(({ number, count }) => [number, count])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(found[1].previous_root).toBe(found[0].root);
  });

  it('go on in the chain of an earlier process', async () => {
    end(begin());
    await here.runs.flush();
    const there = runProcess(dataSource);
    there.runs.finish(there.runs.open(storedRunInput({ organizationId })), { status: 'completed' });
    await there.runs.flush();
    await there.stop();
    const [first, second] = await segments();
    expect([second.number, second.previous_root]).toEqual([0, first.root]);
    expect(second.chain).not.toBe(first.chain);
  });

  it('are readable as rows of an earlier release, which have no line', async () => {
    const id = randomUUID();
    await dataSource.query(
      `INSERT INTO runs (id, organization_id, user_id, assistant_id, assistant_name, assistant_type, stream, status, created_at,
         tools, sources, events, passages, plan, recording)
       VALUES ($1, $2, $1, 7, 'Biology', 'classic', false, 'completed', now(), '[]', '[]', '[{"type":"run.started","seq":1}]',
         '[{"title":"t","text":"old"}]', NULL, '{"v":1,"request":{"messages":[],"params":{}},"prompt":[],"answer":"A"}')`,
      [id, organizationId],
    );
    expect(await here.runs.find(organizationId, id)).toMatchObject({
      events: [{ type: 'run.started', seq: 1 }],
      passages: [{ text: 'old' }],
    });
    expect(await here.runs.recording({ id, organizationId })).toMatchObject({ answer: 'A' });
  });

  it('leave the bytes of their segment when they are forgotten, and the others stay', async () => {
    const [gone, kept] = [begin(), begin()];
    [gone, kept].forEach(end);
    await here.runs.flush();
    const [{ segment_id: segmentId, segment_position: segmentPosition }] = await dataSource.query(
      'SELECT segment_id, segment_position FROM runs WHERE id = $1',
      [gone.id],
    );
    await dataSource.transaction((tx) => here.lines.forget([{ id: gone.id, segmentId, segmentPosition }], tx));
    const [{ body }] = await segments();
    const text = (await entriesIn(body)).join('\n');
    expect([text.includes(gone.id), text.includes(kept.id)]).toEqual([false, true]);
    expect((await here.runs.find(organizationId, kept.id))?.events).toEqual(kept.recorded);
  });

  it('are missed when a segment is hidden, and the service tells it', async () => {
    const run = begin();
    end(run);
    await here.runs.flush();
    const [{ id: segmentId }] = await segments();
    const gone = randomUUID();
    const told = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const lines = [
      { id: run.id, segmentId, segmentPosition: 0 },
      { id: randomUUID(), segmentId: gone, segmentPosition: 0 },
    ];
    await dataSource.transaction((tx) => here.lines.forget(lines, tx));
    expect(told.mock.calls).toEqual([[expect.objectContaining({ count: 1, segment_ids: [gone] })]]);
    told.mockRestore();
    expect((await segments()).map(({ body }) => body)).toEqual([null]);
  });

  it('keep the seals of their organization when the one that asked them ends', async () => {
    const keys = new KeysInMemory();
    const signing = runProcess(dataSource, { keys });
    const other = await addOrganization(dataSource);
    const own = storedRunInput({ organizationId });
    for (const organization of [organizationId, other, organizationId]) {
      const caller = { ...own.caller, organizationId: organization };
      signing.runs.finish(signing.runs.open({ ...own, caller }), { status: 'completed' });
      await signing.runs.flush();
    }
    const rows = new OrganizationRowsRepository(dataSource, new Transactions(dataSource));
    for (const step of await rows.steps()) {
      if (!['runs', 'run_segments'].includes(step.table)) continue;
      while ((await rows.deleteSome(step, other, () => Promise.resolve())) > 0);
    }
    await signing.stop();
    const found = await segments();
    expect(found.map(({ body, caller_organization_id: caller }) => [body === null, caller])).toEqual([
      [false, null],
      [true, null],
      [false, null],
    ]);
    expect(await dataSource.query('SELECT id FROM runs WHERE caller_organization_id IS NOT NULL')).toEqual([]);
    const check = new RunLogCheck(keys.published);
    for await (const segment of here.lines.every(organizationId)) await check.add(segment);
    expect([check.segments, check.end()]).toEqual([3, []]);
  });

  it('name the newest segment when it is missing', async () => {
    end(begin());
    await here.runs.flush();
    end(begin());
    await here.runs.flush();
    const newest = (await segments()).at(-1).id;
    expect(await here.lines.lost(organizationId)).toEqual([]);
    await dataSource.query('DELETE FROM run_segments WHERE id = $1', [newest]);
    expect(await here.lines.lost(organizationId)).toEqual([newest]);
    expect(await here.lines.lost(await addOrganization(dataSource))).toEqual([]);
  });

  it('leave the log with their person, some hundred at a time, and no row keeps the place of a forgotten one', async () => {
    const own = storedRunInput({ organizationId });
    const runs = Array.from({ length: 501 }, () => here.runs.open(own));
    runs.forEach(end);
    await here.runs.flush();
    const forget = jest.spyOn(here.lines, 'forget');
    const table = PERSON_TABLES.find((each) => each.table === 'runs');
    const person = { organizationId, userId: own.caller.userId };
    const rows = new PersonRowsRepository(dataSource, here.lines);
    await dataSource.transaction((tx) => rows.treat(table as (typeof PERSON_TABLES)[number], person, 10, tx));
    const counts = forget.mock.calls.map(([forgotten]) => forgotten.length);
    forget.mockRestore();
    expect([counts.length > 1, counts.reduce((sum, count) => sum + count)]).toEqual([true, 501]);
    const texts = await Promise.all((await segments()).map(({ body }) => entriesIn(body)));
    expect(runs.filter(({ id }) => texts.flat().join().includes(id))).toEqual([]);
    expect(await dataSource.query('SELECT id FROM runs WHERE segment_id IS NOT NULL')).toEqual([]);
  });
});
