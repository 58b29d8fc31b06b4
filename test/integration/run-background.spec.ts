import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Run } from '../../src/runs';
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
import { until } from '../support/until';

describe('background runs', () => {
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
    await Promise.all(processes.splice(0).map((each) => each.stop(0)));
  });
  afterAll(() => dataSource.destroy());

  function process(options: RunProcessOptions = {}): RunProcess {
    const made = runProcess(dataSource, options);
    processes.push(made);
    return made;
  }
  const input = () => storedRunInput({ organizationId });
  const statusOf = async ({ runs }: RunProcess, id: string) => (await runs.find(organizationId, id))?.status;

  const answers = (process: RunProcess, text: readonly string[]) => async (run: Run) => {
    for (const each of text) {
      run.emit({ type: 'llm.delta', text: each });
      await run.drained();
    }
    process.runs.finish(run, { status: 'completed', finishReason: 'stop', model: 'm', connector: 'c' });
  };

  it('is queued with its request, carried out, and leaves its events in order', async () => {
    const server = process();
    const seen: unknown[] = [];
    server.executeBy(async (run, request) => {
      seen.push(request, run.input.caller.userId);
      await answers(server, ['Hel', 'lo ', 'World'])(run);
    });
    await server.jobs.start();
    const asked = input();
    const { id, status } = await server.runs.enqueue(asked, { messages: [{ role: 'user', content: 'Hi' }] });
    expect(status).toBe('queued');
    const text = await readAll(server.runs, organizationId, id);
    expect(framesIn(text).map(({ event }) => event)).toEqual(['run.started', 'llm.delta', 'run.completed']);
    expect(framesIn(text).map((frame) => frame.id)).toEqual([1, 2, 3]);
    expect(seen).toEqual([{ messages: [{ role: 'user', content: 'Hi' }] }, asked.caller.userId]);
    const record = await server.runs.find(organizationId, id);
    expect(record).toMatchObject({ status: 'completed', background: true, model: 'm', finishReason: 'stop' });
    expect(record?.events.map(({ type }) => type)).toEqual(['run.started', 'run.completed']);
    expect(record && (await server.runs.answer(record))).toBe('Hello World');
    expect(await dataSource.query('SELECT FROM run_requests')).toEqual([]);
  });

  it('replays the same bytes from any point, on another process, too', async () => {
    const [worker, other] = [process(), process()];
    worker.executeBy(async (run) => {
      for (let n = 0; n < 30; n++) {
        run.emit({ type: 'run.progress', message: `step ${n} \u0000 \ud800 "quoted" \\ ☃` });
        await sleep(2);
      }
      await answers(worker, ['x'.repeat(3_000), 'y'])(run);
    });
    await worker.jobs.start();
    const { id } = await worker.runs.enqueue(input(), {});
    const [here, there] = await Promise.all([
      readAll(worker.runs, organizationId, id),
      readAll(other.runs, organizationId, id),
    ]);
    expect(there).toBe(here);
    expect(await readAll(other.runs, organizationId, id)).toBe(here);
    const frames = here.split('\n\n').slice(0, -1);
    for (const after of [0, 1, 17, frames.length - 1, frames.length]) {
      const rest = frames.slice(after).map((frame) => `${frame}\n\n`);
      expect(await readAll(other.runs, organizationId, id, after)).toBe(rest.join(''));
    }
  });

  it('lets readers come late, leave, come back where they were and claim to be further than there is', async () => {
    const [worker, other] = [process(), process()];
    let say!: (text: string) => void;
    let end!: () => void;
    const ready = new Promise<void>((begun) => {
      worker.executeBy(async (run) => {
        say = (message) => run.emit({ type: 'run.progress', message });
        const ending = new Promise<void>((resolve) => (end = resolve));
        begun();
        await ending;
        worker.runs.finish(run, { status: 'completed' });
      });
    });
    await worker.jobs.start();
    const { id } = await worker.runs.enqueue(input(), {});
    await ready;
    for (let n = 0; n < 5; n++) say(`${n}`);
    await until(async () => (await worker.events.lastSeq(id)) === 6);
    const record = await other.runs.find(organizationId, id);
    if (record === null) throw new Error('No such run');
    const leaving = new AbortController();
    const seen: number[] = [];
    await other.runs.follow(record, { after: 2, signal: leaving.signal }, (events) => {
      seen.push(...events.map(({ seq }) => seq));
      if (seen.at(-1) === 6) leaving.abort();
      return undefined;
    });
    expect(seen).toEqual([3, 4, 5, 6]);
    expect(other.tails.size).toBe(0);
    const back = readAll(other.runs, organizationId, id, 6);
    const boaster = readAll(worker.runs, organizationId, id, 999);
    await until(() => other.tails.size + worker.tails.size === 2);
    say('last');
    end();
    expect(framesIn(await back).map((frame) => frame.id)).toEqual([7, 8]);
    expect(framesIn(await boaster).map((frame) => frame.id)).toEqual([7, 8]);
    expect([other.tails.size, worker.tails.size]).toEqual([0, 0]);
  });

  it('loses and doubles nothing when its connections to the database are cut', async () => {
    const [worker, other] = [process(), process()];
    const cut = () =>
      dataSource
        .query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'bellwether' AND pid <> pg_backend_pid()`,
        )
        .catch(() => undefined);
    let said = 0;
    worker.executeBy(async (run) => {
      for (let n = 0; n < 60; n++) {
        run.emit({ type: 'run.progress', message: `${n}` });
        said += 1;
        await sleep(5);
      }
      worker.runs.finish(run, { status: 'completed' });
    });
    await worker.jobs.start();
    const { id } = await worker.runs.enqueue(input(), {});
    const reading = readAll(other.runs, organizationId, id);
    for (let n = 0; n < 5; n++) {
      await until(() => said >= 10 * (n + 1));
      await cut();
    }
    const frames = framesIn(await reading);
    expect(frames.map((frame) => frame.id)).toEqual(Array.from({ length: 62 }, (_, n) => n + 1));
    expect(frames.at(-1)?.event).toBe('run.completed');
  });

  it.each(['here', 'elsewhere'])('is cancelled when it goes on %s', async (where) => {
    const [worker, other] = [process(), process()];
    let reason: string | null = null;
    worker.executeBy(async (run) => {
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
      reason = run.abortReason;
      worker.runs.finish(run, { status: 'cancelled', errorCode: 'cancelled', message: 'The run was cancelled' });
    });
    await worker.jobs.start();
    const { id } = await worker.runs.enqueue(input(), {});
    await until(async () => (await statusOf(other, id)) === 'running');
    await (where === 'here' ? worker : other).runs.cancel(organizationId, id, 'asked');
    const frames = framesIn(await readAll(other.runs, organizationId, id));
    expect(frames.map(({ event }) => event)).toEqual(['run.started', 'run.cancelled']);
    expect(reason).toBe('asked');
    expect((await other.runs.cancel(organizationId, id, 'again')).status).toBe('cancelled');
  });

  it('ends a queued run at once, and refuses to end what has ended', async () => {
    const server = process();
    const { id } = await server.runs.enqueue(input(), {});
    expect((await server.runs.cancel(organizationId, id, 'asked')).status).toBe('cancelled');
    expect(framesIn(await readAll(server.runs, organizationId, id)).map(({ event }) => event)).toEqual([
      'run.cancelled',
    ]);
    const ran = jest.fn();
    server.executeBy(async (run) => {
      ran(run.id);
      await answers(server, ['a'])(run);
    });
    await server.jobs.start();
    const next = await server.runs.enqueue(input(), {});
    await readAll(server.runs, organizationId, next.id);
    expect(ran.mock.calls).toEqual([[next.id]]);
    await expect(server.runs.cancel(organizationId, next.id, 'late')).rejects.toMatchObject({ code: 'run_ended' });
    await expect(server.runs.cancel(organizationId, 'nonsense', 'x')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is ended when its executor throws, loses the database, forgets to, or is told to stop and does not', async () => {
    const server = process({ concurrency: 4 });
    const executors = [
      () => Promise.reject(new Error('a defect')),
      () => Promise.reject(Object.assign(new Error('lost'), { code: 'ECONNREFUSED' })),
      () => Promise.resolve(),
      () => new Promise<void>(() => undefined),
    ];
    server.executeBy(() => (executors.shift() as () => Promise<void>)());
    await server.jobs.start();
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      const { id } = await server.runs.enqueue(input(), {});
      ids.push(id);
      await until(async () => (await statusOf(server, id)) !== 'queued');
    }
    await Promise.all(ids.slice(0, 3).map((id) => until(async () => (await statusOf(server, id)) === 'failed')));
    await server.stop(0);
    const ends = await Promise.all(
      ids.map(async (id) => framesIn(await readAll(server.runs, organizationId, id)).at(-1)),
    );
    expect(ends.map((frame) => [frame?.event, frame?.data['code']])).toEqual([
      ['run.failed', 'internal_error'],
      ['run.failed', 'unavailable'],
      ['run.failed', 'internal_error'],
      ['run.failed', 'server_shutdown'],
    ]);
  });

  it('is ended and holds nobody up when its model counts more tokens than there can be', async () => {
    const server = process();
    let all!: () => void;
    const together = new Promise<void>((resolve) => (all = resolve));
    let begun = 0;
    server.executeBy(async (run, { total }) => {
      begun += 1;
      if (begun === 2) all();
      await together;
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: Number(total) };
      server.runs.finish(run, { status: 'completed', finishReason: 'stop', model: 'm', usage });
    });
    await server.jobs.start();
    const bad = await server.runs.enqueue(input(), { total: 3_000_000_000 });
    const good = await server.runs.enqueue(input(), { total: 2 });
    const events = async ({ id }: { id: string }) =>
      framesIn(await readAll(server.runs, organizationId, id)).map(({ event }) => event);
    expect(await events(good)).toEqual(['run.started', 'usage', 'run.completed']);
    expect(await events(bad)).toEqual(['run.started', 'usage', 'run.completed']);
    expect(await server.runs.find(organizationId, bad.id)).toMatchObject({
      status: 'completed',
      model: 'm',
      usage: null,
    });
    const door = server.runs.open(input());
    const usage = { prompt_tokens: 1, completion_tokens: 2 ** 31, total_tokens: 2 ** 31 + 1 };
    server.runs.finish(door, { status: 'completed', usage });
    await server.runs.flush();
    expect(await server.runs.find(organizationId, door.id)).toMatchObject({ status: 'completed', usage: null });
    expect(server.endings.droppedTotal).toBe(0);
  });

  describe('in a crowd', () => {
    const refused = { code: 'too_many_requests', retryAfter: 10 };
    const ask = ({ runs }: RunProcess, userId: string, organization = organizationId) =>
      runs.enqueue(storedRunInput({ organizationId: organization, userId }), {});

    it('is refused to who has 50 already, and not to others; the end of one makes room', async () => {
      const [here, there] = [process(), process()];
      const [user, other] = [randomUUID(), randomUUID()];
      const taken: string[] = [];
      for (let n = 0; n < 50; n++) taken.push((await ask(n % 2 === 0 ? here : there, user)).id);
      await expect(ask(here, user)).rejects.toMatchObject(refused);
      expect(await dataSource.query('SELECT count(*)::int AS runs FROM runs')).toEqual([{ runs: 50 }]);
      await ask(here, other);
      await here.runs.cancel(organizationId, taken[0] ?? '', 'asked');
      await ask(there, user);
      await expect(ask(there, user)).rejects.toMatchObject(refused);
    });

    it('is refused to an organization that has 200, whoever asks, and not to another', async () => {
      const server = process();
      for (let user = 0; user < 4; user++) {
        const userId = randomUUID();
        for (let n = 0; n < 50; n++) await ask(server, userId);
      }
      await expect(ask(server, randomUUID())).rejects.toMatchObject(refused);
      await ask(server, randomUUID(), await addOrganization(dataSource));
    });

    it('takes turns with those of other organizations', async () => {
      const server = process({ concurrency: 1 });
      const names = new Map<string, string>([[organizationId, 'a']]);
      const add = async (name: string) => {
        const id = await addOrganization(dataSource);
        names.set(id, name);
        return id;
      };
      const [b, c] = [await add('b'), await add('c')];
      const order: string[] = [];
      server.executeBy((run) => {
        order.push(names.get(run.input.assistant.organizationId) ?? '');
        return Promise.resolve(server.runs.finish(run, { status: 'completed' }));
      });
      for (let n = 0; n < 5; n++) await ask(server, randomUUID());
      for (let n = 0; n < 2; n++) await ask(server, randomUUID(), b);
      await ask(server, randomUUID(), c);
      await server.jobs.start();
      await until(() => order.length === 8 && server.active.size === 0);
      const turns = [order.slice(0, 3), order.slice(3, 5), order.slice(5)];
      expect(turns.map((turn) => turn.sort().join(''))).toEqual(['abc', 'ab', 'aaa']);
    });
  });
});
