import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Run } from '../../src/runs';
import { checkReceipt } from '../../src/runs/receipts/check-receipt';
import { KeysInMemory } from '../../src/runs/testing/signed-receipts';
import { openTestDatabase, resetDatabase } from '../support/database';
import {
  addOrganization,
  framesIn,
  readAll,
  type RunProcess,
  runProcess,
  type RunProcessOptions,
  storedRunInput,
} from '../support/run-process';
import { beforeVendorCall } from '../../src/infrastructure/outbound';
import { until } from '../support/until';

describe('keeping runs', () => {
  let dataSource: DataSource;
  let organizationId: string;
  const processes: RunProcess[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    dataSource = await openTestDatabase();
  });
  beforeEach(async () => {
    await resetDatabase(dataSource);
    organizationId = await addOrganization(dataSource);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(processes.splice(0).map((each) => each.stop(0)));
  });
  afterAll(() => dataSource.destroy());

  function process(options: RunProcessOptions = {}): RunProcess {
    const made = runProcess(dataSource, options);
    processes.push(made);
    return made;
  }
  const rowOf = async (id: string): Promise<Record<string, unknown> | undefined> => {
    const [row] = await dataSource.query<Record<string, unknown>[]>('SELECT * FROM runs WHERE id = $1', [id]);
    return row;
  };
  /** As if it had begun long ago. */
  function lasting(server: RunProcess, parentRunId?: string): Run {
    const input = storedRunInput({ organizationId, ...(parentRunId === undefined ? {} : { parentRunId }) });
    const run = server.runs.open(input);
    Object.defineProperty(run, 'startedMono', { value: run.startedMono - 2_000 });
    return run;
  }
  const age = (id: string, seconds: number) =>
    dataSource.query(`UPDATE runs SET heartbeat_at = heartbeat_at - make_interval(secs => $2) WHERE id = $1`, [
      id,
      seconds,
    ]);

  describe('runs that answer a request', () => {
    it('have a row once they last, which other processes list and the end replaces', async () => {
      const [server, other] = [process(), process()];
      const short = server.runs.open(storedRunInput({ organizationId }));
      const run = lasting(server);
      await server.keeper.insertLongRuns();
      expect(await rowOf(short.id)).toBeUndefined();
      expect(await other.runs.find(organizationId, run.id)).toMatchObject({ status: 'running', background: false });
      const page = { limit: 10, cursor: null };
      expect((await other.runs.list(organizationId, { status: 'running' }, page)).items.map(({ id }) => id)).toEqual([
        run.id,
      ]);
      const here = await server.runs.list(organizationId, {}, page);
      expect([here.total, here.items.map(({ id }) => id)]).toEqual([2, [run.id, short.id].sort().reverse()]);
      expect((await server.runs.stats(7, organizationId)).runs).toBe(0);

      const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
      server.runs.finish(run, { status: 'completed', finishReason: 'stop', usage });
      await server.runs.flush();
      expect(await other.runs.find(organizationId, run.id)).toMatchObject({ status: 'completed', usage });
      await server.runs.flush();
      expect((await server.runs.stats(7, organizationId)).runs).toBe(1);
    });

    it('keep their end when their row comes late', async () => {
      const server = process();
      const run = lasting(server);
      server.runs.finish(run, { status: 'completed' });
      await server.runs.flush();
      server.active.add(run);
      await server.keeper.insertLongRuns();
      expect((await rowOf(run.id))?.['status']).toBe('completed');
    });

    it('replay the same bytes from memory, from the buffer and from the table; elsewhere when they have ended', async () => {
      const [server, other] = [process(), process()];
      const run = lasting(server);
      await server.keeper.insertLongRuns();
      const live = readAll(server.runs, organizationId, run.id);
      const elsewhere = readAll(other.runs, organizationId, run.id);
      run.emit({ type: 'run.progress', message: 'one \u0000 \ud800 ☃' });
      await until(async () => other.tails.size === 1);
      const sources = [{ type: 'file' as const, path: 'a', chars: 1, truncated: false }];
      server.runs.finish(run, { status: 'completed', sources, finishReason: 'stop' });
      const buffered = await readAll(server.runs, organizationId, run.id);
      await server.runs.flush();
      expect(framesIn(buffered).map(({ id, event }) => [id, event])).toEqual([
        [1, 'run.started'],
        [2, 'run.progress'],
        [3, 'sources'],
        [4, 'run.completed'],
      ]);
      expect(await live).toBe(buffered);
      expect(await elsewhere).toBe(buffered);
      expect(await readAll(other.runs, organizationId, run.id)).toBe(buffered);
      expect(framesIn(await readAll(other.runs, organizationId, run.id, 3)).map(({ id }) => id)).toEqual([4]);
      expect(other.tails.size).toBe(0);
    });

    it('are cancelled from another process', async () => {
      const [server, other] = [process(), process()];
      const run = lasting(server);
      await server.keeper.insertLongRuns();
      await other.runs.cancel(organizationId, run.id, 'asked');
      await server.canceller.abortRequested();
      expect(run.abortReason).toBe('asked');
    });

    it("are not anybody else's to cancel", async () => {
      const server = process();
      const run = lasting(server);
      await expect(server.runs.cancel(randomUUID(), run.id, 'x')).rejects.toMatchObject({ code: 'not_found' });
      expect(run.abortReason).toBeNull();
    });
  });

  /** As if so long had passed since the look before. */
  async function lookAgain({ reaper }: RunProcess, later = 11_000): Promise<void> {
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + later);
    try {
      await reaper.reap({ alone: false, first: false });
    } finally {
      clock.mockRestore();
    }
  }
  async function reapBy(reaper: RunProcess): Promise<void> {
    await reaper.reaper.reap({ alone: false, first: false });
    await lookAgain(reaper);
  }

  describe('runs of a process that is gone', () => {
    async function queued(server: RunProcess): Promise<string> {
      return (await server.runs.enqueue(storedRunInput({ organizationId }), {})).id;
    }
    async function begun(worker: RunProcess): Promise<{ id: string; run: Run }> {
      let begin!: (run: Run) => void;
      const beginning = new Promise<Run>((resolve) => (begin = resolve));
      worker.executeBy(async (run) => {
        run.emit({ type: 'llm.delta', text: 'half an ans' });
        begin(run);
        await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
      });
      await worker.jobs.start();
      const id = await queued(worker);
      const run = await beginning;
      await until(async () => (await worker.events.page(id, 0, 10)).length === 2);
      return { id, run };
    }

    it('fail as worker_lost after their last event, nested ones too; those with signs of life go on', async () => {
      const [worker, alive, reaper] = [process(), process(), process()];
      const { id } = await begun(worker);
      const nested = lasting(worker, id);
      nested.emit({ type: 'run.progress', message: 'a\u0000b' });
      await worker.keeper.insertLongRuns();
      const going = await begun(alive);
      jest.spyOn(worker.leases, 'beat').mockRejectedValue(new Error('frozen'));
      const reading = readAll(reaper.runs, organizationId, id);
      await Promise.all([id, nested.id, going.id].map((each) => age(each, 60)));
      await alive.keeper.beat();
      await reapBy(reaper);
      const frames = framesIn(await reading);
      expect(frames.map((frame) => [frame.id, frame.event])).toEqual([
        [1, 'run.started'],
        [2, 'llm.delta'],
        [3, 'run.failed'],
      ]);
      expect(frames.at(-1)?.data).toMatchObject({ run_id: id, seq: 3, code: 'worker_lost', type: 'run.failed' });
      expect(await rowOf(id)).toMatchObject({ status: 'failed', error_code: 'worker_lost' });
      const lost = await reaper.runs.find(organizationId, nested.id);
      expect(lost).toMatchObject({ status: 'failed', errorCode: 'worker_lost', parentRunId: id });
      expect(lost?.events.map(({ seq, type }) => [seq, type])).toEqual([
        [1, 'run.started'],
        [2, 'run.progress'],
        [3, 'run.failed'],
      ]);
      expect((await rowOf(going.id))?.['status']).toBe('running');
    });

    it('begin once more when no vendor was asked, and their events go on without a gap', async () => {
      const [worker, next] = [process({ concurrency: 1 }), process()];
      const reached = new Promise<void>((resolve) =>
        worker.executeBy(async (run) => {
          run.emit({ type: 'run.progress', message: 'reading' });
          resolve();
          await new Promise((ended) => run.signal.addEventListener('abort', ended));
        }),
      );
      await worker.jobs.start();
      const id = await queued(worker);
      await reached;
      await until(async () => (await worker.events.page(id, 0, 10)).length === 2);
      const reading = readAll(next.runs, organizationId, id);
      const vendor = jest.fn();
      next.executeBy(async (run) => {
        await beforeVendorCall.getStore()?.();
        vendor();
        run.emit({ type: 'llm.delta', text: 'answer' });
        next.runs.finish(run, { status: 'completed' });
      });
      jest.spyOn(worker.leases, 'beat').mockRejectedValue(new Error('frozen'));
      await next.jobs.start();
      await age(id, 60);
      await reapBy(next);
      const frames = framesIn(await reading);
      expect(frames.map((frame) => [frame.id, frame.event])).toEqual([
        [1, 'run.started'],
        [2, 'run.progress'],
        [3, 'warning'],
        [4, 'llm.delta'],
        [5, 'run.completed'],
      ]);
      expect(vendor).toHaveBeenCalledTimes(1);
    });

    it('do not begin once more when a vendor was asked, or when they have been begun again before', async () => {
      const reaper = process();
      const ids = [await queued(reaper), await queued(reaper)];
      const workerId = randomUUID();
      for (const id of ids) expect(await reaper.queue.claim(id, workerId)).toMatchObject({ retries: 0, lastSeq: 0 });
      expect(await reaper.queue.markVendorAsked(ids[0]!, workerId)).toBe(true);
      expect(await reaper.queue.markVendorAsked(ids[1]!, randomUUID())).toBe(false);
      await Promise.all(ids.map((id) => age(id, 60)));
      await reapBy(reaper);
      expect([(await rowOf(ids[0]!))?.['status'], (await rowOf(ids[1]!))?.['status']]).toEqual(['failed', 'queued']);
      // The process that lost the run asks no vendor any more.
      expect(await reaper.queue.markVendorAsked(ids[1]!, workerId)).toBe(false);
      expect(await reaper.queue.claim(ids[1]!, randomUUID())).toMatchObject({ retries: 1 });
      await age(ids[1]!, 60);
      await reapBy(reaper);
      expect(await rowOf(ids[1]!)).toMatchObject({ status: 'failed', error_code: 'worker_lost' });
    });

    it('are told to stop when the process is not gone after all, and change nothing', async () => {
      const [worker, reaper] = [process(), process()];
      const { id, run } = await begun(worker);
      await age(id, 60);
      await reapBy(reaper);
      const log = await readAll(reaper.runs, organizationId, id);
      await worker.keeper.beat();
      expect(run.abortReason).toBe('worker_lost');
      await until(async () => worker.active.size === 0);
      expect(await readAll(reaper.runs, organizationId, id)).toBe(log);
    });

    it('are known by their silence while others beat: an outage of the database ends nobody', async () => {
      const [worker, reaper] = [process(), process()];
      const { id, run } = await begun(worker);
      const statusOf = async () => (await rowOf(id))?.['status'];
      // The database is back, and the reaper is first.
      await age(id, 60);
      await reaper.reaper.reap({ alone: false, first: false });
      await lookAgain(reaper, 5_000);
      expect(await statusOf()).toBe('running');
      await worker.keeper.beat();
      await lookAgain(reaper);
      // Away again, and back after a while.
      await age(id, 60);
      await reaper.reaper.reap({ alone: false, first: false });
      const silent = jest.spyOn(reaper.leases, 'expired').mockRejectedValueOnce(new Error('away'));
      await expect(lookAgain(reaper)).rejects.toThrow('away');
      silent.mockRestore();
      await lookAgain(reaper, 30_000);
      expect(await statusOf()).toBe('running');
      await age(id, 60);
      await lookAgain(reaper, 60_000);
      expect([await statusOf(), run.abortReason]).toEqual(['running', null]);
    });

    it('give their record when they answer a request and end after all', async () => {
      const [server, reaper] = [process(), process()];
      const run = lasting(server);
      await server.keeper.insertLongRuns();
      await age(run.id, 60);
      await reapBy(reaper);
      expect(await rowOf(run.id)).toMatchObject({ status: 'failed', error_code: 'worker_lost' });
      const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
      server.runs.finish(run, { status: 'completed', finishReason: 'stop', usage });
      await server.runs.flush();
      expect(await rowOf(run.id)).toMatchObject({ status: 'completed', error_code: null, total_tokens: 3 });
      await reapBy(reaper);
      expect((await reaper.runs.find(organizationId, run.id))?.events.at(-1)?.type).toBe('run.completed');
    });

    it('end at once when a process starts alone, and their jobs find them ended', async () => {
      const first = process({ engine: 'embedded' });
      const { id } = await begun(first);
      jest.spyOn(first.leases, 'beat').mockRejectedValue(new Error('killed'));
      const second = process({ engine: 'embedded' });
      const ran = jest.fn();
      second.executeBy((run) => {
        ran(run.id);
        return Promise.resolve();
      });
      await second.jobs.start();
      expect((await rowOf(id))?.['status']).toBe('failed');
      const next = await queued(second);
      await until(async () => (await rowOf(next))?.['status'] === 'failed');
      expect(ran.mock.calls).toEqual([[next]]);
    });

    it('are queued again when only their job was lost', async () => {
      const server = process();
      const id = await queued(server);
      await dataSource.query('DELETE FROM pgboss.job');
      await dataSource.query(`UPDATE runs SET created_at = created_at - interval '1 minute'`);
      const other = process();
      other.executeBy((run) => Promise.resolve(other.runs.finish(run, { status: 'completed' })));
      await other.jobs.start();
      await until(async () => (await rowOf(id))?.['status'] === 'completed');
    });
  });

  it('finds a lost job behind any number of runs that wait', async () => {
    const server = process();
    const { id } = await server.runs.enqueue(storedRunInput({ organizationId }), {});
    await dataSource.query('DELETE FROM pgboss.job');
    const [columns] = await dataSource.query<[{ names: string }]>(`
      SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
      WHERE table_name = 'runs' AND table_schema = current_schema() AND column_name NOT IN ('id', 'created_at')`);
    await dataSource.query(`
      INSERT INTO runs (id, created_at, ${columns.names})
      SELECT gen_random_uuid(), created_at - interval '1 hour', ${columns.names} FROM runs, generate_series(1, 1000)`);
    await dataSource.query(`
      UPDATE runs SET created_at = created_at - interval '1 minute'`);
    const pages: number[] = [];
    const found: string[] = [];
    for await (const page of server.queue.queuedLong(30, 500)) {
      pages.push(page.length);
      found.push(...page);
    }
    expect([pages, new Set(found).size, found.at(-1)]).toEqual([[500, 500, 1], 1_001, id]);
  });

  it('lets go of contents after their time, and keeps the figures', async () => {
    const server = process({ retentionDays: 7 });
    server.executeBy(async (run) => {
      run.emit({ type: 'llm.delta', text: 'secret' });
      server.runs.finish(run, {
        status: 'completed',
        usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
        sources: [{ type: 'file', path: 'secret', chars: 1, truncated: false }],
      });
    });
    await server.jobs.start();
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) {
      const { id } = await server.runs.enqueue(storedRunInput({ organizationId }), {});
      await readAll(server.runs, organizationId, id);
      ids.push(id);
    }
    const [old = '', young = ''] = ids;
    const answering = server.runs.open(storedRunInput({ organizationId }));
    server.runs.finish(answering, { status: 'failed', errorCode: 'upstream_error', message: 'secret' });
    await server.runs.flush();
    await dataSource.query(`UPDATE runs SET created_at = created_at - interval '8 days' WHERE id = ANY($1)`, [
      [old, answering.id],
    ]);
    await server.retention.prune();
    for (const id of [old, answering.id]) {
      const record = await server.runs.find(organizationId, id);
      expect(record).toMatchObject({ sources: [], events: [], report: null });
      expect(JSON.stringify(await rowOf(id))).not.toContain('secret');
      expect(await readAll(server.runs, organizationId, id)).toBe('');
    }
    expect((await server.runs.find(organizationId, old))?.usage?.total_tokens).toBe(3);
    expect(framesIn(await readAll(server.runs, organizationId, young)).map(({ event }) => event)).toContain(
      'llm.delta',
    );
    expect(await server.repository.prune(7, 10)).toBe(0);
  });

  it('keeps contents beyond their time while no receipt can be made of them', async () => {
    const keys = new KeysInMemory();
    keys.lose();
    const server = process({ retentionDays: 7, keys });
    const run = server.runs.open(storedRunInput({ organizationId }));
    server.runs.finish(run, { status: 'failed', errorCode: 'upstream_error', message: 'kept' });
    await server.runs.flush();
    await dataSource.query(`UPDATE runs SET created_at = created_at - interval '8 days'`);
    const told = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    await server.retention.prune();
    expect(told).toHaveBeenCalledWith({ msg: expect.stringContaining('stay beyond their time') });
    told.mockRestore();
    expect((await server.runs.find(organizationId, run.id))?.events).toEqual(run.recorded);
    keys.make();
    await server.retention.prune();
    expect((await server.runs.find(organizationId, run.id))?.events).toEqual([]);
    const kept = await server.repository.within(organizationId).receipt(run.id);
    expect(await checkReceipt(kept, keys.published)).toEqual({ valid: true });
    // The seal was not signed before; retention's signature of it stays.
    keys.make();
    expect(await server.repository.within(organizationId).receipt(run.id)).toEqual(kept);
  });
});
