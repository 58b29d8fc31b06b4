import { randomUUID } from 'node:crypto';
import timersPromises, { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Config } from '../../src/infrastructure/config';
import type { OpenDatabase, Transaction } from '../../src/infrastructure/database';
import { JobAborted, JobQueue, type Queue, type RunningJob } from '../../src/infrastructure/jobs';
import { JobRepository } from '../../src/infrastructure/jobs/job.repository';
import { openTestDatabase, ownedDatabase, resetDatabase } from '../support/database';
import { until } from '../support/until';

interface Work {
  readonly n: number;
}

let dataSource: DataSource;
const queues: JobQueue[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  dataSource = await openTestDatabase();
});
beforeEach(() => resetDatabase(dataSource));
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(queues.splice(0).map((queue) => queue.stop(0)));
});
afterAll(async () => {
  await resetDatabase(dataSource);
  await dataSource.query(`DELETE FROM pgboss.job WHERE name LIKE 'test-%'`);
  await dataSource.query(`SELECT pgboss.delete_queue(name) FROM pgboss.queue WHERE name LIKE 'test-%'`);
  await dataSource.destroy();
});

const config = { http: { shutdownTimeoutMs: 2_000 }, jobs: { leaseSeconds: 30 } } as unknown as Config;

/** As one process would have it. */
function jobQueue(engine: OpenDatabase['engine'] = 'server', source: DataSource = dataSource): JobQueue {
  const queue = new JobQueue(
    new JobRepository(source, config, ownedDatabase(source)),
    { engine } as OpenDatabase,
    config,
  );
  queues.push(queue);
  return queue;
}

const newQueue = (more: Partial<Queue<Work>> = {}): Queue<Work> => ({
  name: `test-${randomUUID()}`,
  concurrency: 2,
  retries: 2,
  retryDelay: 1,
  ...more,
});

const jobs = (...numbers: number[]) => numbers.map((n) => ({ key: String(n), data: { n } }));
const states = async ({ name }: Queue<Work>): Promise<Record<string, number>> => {
  const rows = await dataSource.query<{ state: string; count: number }[]>(
    'SELECT state, count(*)::int AS count FROM pgboss.job WHERE name = $1 GROUP BY state',
    [name],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
};
const send = async (queue: JobQueue, to: Queue<Work>, ...numbers: number[]): Promise<void> => {
  await dataSource.transaction((tx: Transaction) => queue.send(to, jobs(...numbers), tx));
  queue.wake(to);
};

describe('a job', () => {
  it('exists when the transaction that asked for it commits, and is run without waiting for a look round', async () => {
    jest.spyOn(JobRepository.prototype, 'due').mockResolvedValue([]);
    const queue = jobQueue();
    const to = newQueue();
    const ran: number[] = [];
    queue.declare(to, async ({ data }) => void ran.push(data.n));
    await queue.start();
    await expect(
      dataSource.transaction(async (tx) => {
        await queue.send(to, jobs(1), tx);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    queue.wake(to);
    await send(queue, to, 2);
    await until(() => ran.length > 0);
    expect(ran).toEqual([2]);
    await until(async () => (await states(to))['completed'] === 1);
  });

  it('is found without anybody saying so', async () => {
    const asking = jobQueue();
    const working = jobQueue();
    const to = newQueue();
    let ran = 0;
    working.declare(to, async () => void ran++);
    await working.start();
    // An operator command declares its queues too, but starts no workers.
    asking.declare(to, () => Promise.reject(new Error('not here')));
    await send(asking, to, 1);
    await until(() => ran === 1);
  });

  it('cannot be sent to a queue that nobody has made', async () => {
    await expect(dataSource.transaction((tx) => jobQueue().send(newQueue(), jobs(1), tx))).rejects.toThrow(
      'took 0 of 1',
    );
  });

  it('is tried again, later each time, and given up after its last try', async () => {
    const queue = jobQueue();
    const to = newQueue({ retries: 1 });
    const tries: boolean[] = [];
    queue.declare(to, ({ lastTry }) => {
      tries.push(lastTry);
      return Promise.reject(new Error('no'));
    });
    await queue.start();
    await send(queue, to, 1);
    await until(async () => (await states(to))['failed'] === 1);
    expect(tries).toEqual([false, true]);
    expect(await queue.withoutJob(to, ['1', '2'])).toEqual(['1', '2']);
  });

  it('ends by its signal when it takes too long, and is tried again', async () => {
    const queue = jobQueue();
    const to = newQueue({ timeoutMs: 100, retries: 0 });
    let reason: unknown;
    queue.declare(to, async ({ signal }) => {
      await sleep(10_000, undefined, { signal }).catch(() => undefined);
      reason = signal.reason;
      signal.throwIfAborted();
    });
    await queue.start();
    await send(queue, to, 1);
    await until(async () => (await states(to))['failed'] === 1);
    expect(reason).toMatchObject({ reason: 'timeout' });
  });

  it('of higher priority goes first, others in the order in which they came', async () => {
    const queue = jobQueue();
    const to = newQueue({ concurrency: 1 });
    const ran: number[] = [];
    queue.declare(to, async ({ data }) => void ran.push(data.n));
    await jobQueueMade(to);
    await dataSource.transaction((tx) =>
      queue.send(
        to,
        [1, 2, 3].map((n) => ({ key: String(n), data: { n }, priority: n === 3 ? 0 : -n })),
        tx,
      ),
    );
    await queue.start();
    await until(() => ran.length === 3);
    expect(ran).toEqual([3, 1, 2]);
  });
});

/** A queue is made by the first process that starts with it. */
async function jobQueueMade(to: Queue<Work>): Promise<void> {
  const first = jobQueue();
  first.declare(to, () => Promise.resolve());
  await first.start();
  await first.stop(0);
}

describe('ten thousand jobs', () => {
  it('are enqueued in one go and run once each, by two processes that start at the same time', async () => {
    const to = newQueue({ concurrency: 4 });
    const ran = new Map<number, number>();
    const two = [jobQueue(), jobQueue()];
    for (const queue of two) {
      queue.declare(to, async ({ data }) => void ran.set(data.n, (ran.get(data.n) ?? 0) + 1));
    }
    await Promise.all(two.map((queue) => queue.start()));
    const count = 10_000;
    const all = jobs(...Array.from({ length: count }, (_, n) => n));
    await dataSource.transaction((tx) => jobQueue().send(to, all, tx));
    // The rest is a matter of minutes on a slow machine: some hundreds show that nothing is run twice.
    await until(() => ran.size >= 400, 150_000);
    expect([...ran.values()].every((times) => times === 1)).toBe(true);
  }, 180_000);
});

describe('stopping', () => {
  it('lets the job in hand finish', async () => {
    const queue = jobQueue();
    const to = newQueue();
    let finish: () => void = () => undefined;
    queue.declare(to, () => new Promise((done) => (finish = done)));
    await queue.start();
    await send(queue, to, 1);
    await until(async () => (await states(to))['active'] === 1);
    const stopped = jest.fn();
    const stopping = queue.stop(20_000).then(stopped);
    await states(to);
    expect(stopped).not.toHaveBeenCalled();
    finish();
    await stopping;
    expect(await states(to)).toEqual({ completed: 1 });
  });

  it('ends a job that takes longer and frees it for others at once, without counting the try', async () => {
    const queue = jobQueue();
    const to = newQueue({ concurrency: 1, retries: 0 });
    const aborted: unknown[] = [];
    queue.declare(to, async ({ signal }) => {
      await sleep(60_000, undefined, { signal, ref: false }).catch(() => undefined);
      aborted.push(signal.reason);
      signal.throwIfAborted();
    });
    await queue.start();
    await send(queue, to, 1, 2);
    await until(async () => (await states(to))['active'] === 1);
    await queue.stop(0);
    expect(aborted).toEqual([expect.any(JobAborted)]);
    const other = jobQueue();
    const ran: RunningJob<Work>[] = [];
    other.declare(to, async (job) => void ran.push(job));
    await other.start();
    await until(() => ran.length === 2);
    await until(async () => (await states(to))['completed'] === 2);
  });

  it('frees even a job that does not listen', async () => {
    const queue = jobQueue();
    const to = newQueue();
    queue.declare(to, () => new Promise(() => undefined));
    await queue.start();
    await send(queue, to, 1);
    await until(async () => (await states(to))['active'] === 1);
    await queue.stop(0);
    expect(await states(to)).toEqual({ retry: 1 });
  });
});

describe('a worker that died', () => {
  const orphan = async (to: Queue<Work>): Promise<void> => {
    await jobQueueMade(to);
    await dataSource.transaction((tx) => jobQueue().send(to, jobs(1), tx));
    await dataSource.query(`UPDATE pgboss.job SET state = 'active', started_on = now() WHERE name = $1`, [to.name]);
  };

  it('is noticed at once at the start where no other process can be at work', async () => {
    const to = newQueue();
    await orphan(to);
    const queue = jobQueue('embedded');
    let ran = 0;
    queue.declare(to, async () => void ran++);
    queue.sweep(60_000, async ({ alone, first }) => expect([alone, first]).toEqual([true, true]));
    await queue.start();
    await until(() => ran === 1);
  });

  it('is noticed when its lease has run out, and not before', async () => {
    const to = newQueue();
    await orphan(to);
    const jobRepository = new JobRepository(dataSource, config, ownedDatabase(dataSource));
    await jobRepository.expire();
    expect(await states(to)).toEqual({ active: 1 });
    await dataSource.query(`UPDATE pgboss.job SET started_on = now() - interval '31 s' WHERE name = $1`, [to.name]);
    await jobRepository.expire();
    expect(await states(to)).toEqual({ retry: 1 });
  });

  it('keeps a job as long as it renews it, and learns that it has lost it', async () => {
    const to = newQueue();
    await orphan(to);
    const jobRepository = new JobRepository(dataSource, config, ownedDatabase(dataSource));
    const [{ id }] = await dataSource.query<[{ id: string }]>('SELECT id FROM pgboss.job WHERE name = $1', [to.name]);
    await dataSource.query(`UPDATE pgboss.job SET started_on = now() - interval '31 s' WHERE name = $1`, [to.name]);
    expect(await jobRepository.renew(to.name, [{ id, number: 0 }])).toEqual(new Set([id]));
    await jobRepository.expire();
    expect(await states(to)).toEqual({ active: 1 });
    await dataSource.query('UPDATE pgboss.job SET retry_count = 1 WHERE name = $1', [to.name]);
    expect(await jobRepository.renew(to.name, [{ id, number: 0 }])).toEqual(new Set());
  });

  it('is not ended by the process that lost it', async () => {
    const to = newQueue();
    await orphan(to);
    const jobRepository = new JobRepository(dataSource, config, ownedDatabase(dataSource));
    const [{ id }] = await dataSource.query<[{ id: string }]>('SELECT id FROM pgboss.job WHERE name = $1', [to.name]);
    await dataSource.query('UPDATE pgboss.job SET retry_count = 1 WHERE name = $1', [to.name]);
    await jobRepository.complete(to.name, { id, number: 0 });
    await jobRepository.fail(to.name, { id, number: 0 }, 'late');
    expect(await states(to)).toEqual({ active: 1 });
    await jobRepository.complete(to.name, { id, number: 1 });
    expect(await states(to)).toEqual({ completed: 1 });
  });
});

describe('a database that goes away', () => {
  it('is waited for, with a log line and without a rejection that nobody handles', async () => {
    const rejections: unknown[] = [];
    const note = (error: unknown): void => void rejections.push(error);
    process.on('unhandledRejection', note);
    const repository = new JobRepository(dataSource, config, ownedDatabase(dataSource));
    const queue = new JobQueue(repository, { engine: 'server' } as OpenDatabase, config);
    queues.push(queue);
    const to = newQueue();
    let ran = 0;
    queue.declare(to, async () => void ran++);
    await queue.start();
    const away = ['complete', 'due', 'renew'].map((method) =>
      jest
        .spyOn(repository, method as 'complete')
        .mockRejectedValue(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })),
    );
    await send(queue, to, 1);
    await until(() => ran === 1);
    await until(() => away.slice(0, 2).every(({ mock }) => mock.calls.length > 1));
    for (const spy of away) spy.mockRestore();
    await until(async () => (await states(to))['completed'] === 1);
    process.off('unhandledRejection', note);
    expect([rejections, ran]).toEqual([[], 1]);
  });

  it('is told of the end of a job once it is back, however long that takes', async () => {
    const repository = new JobRepository(dataSource, config, ownedDatabase(dataSource));
    const queue = new JobQueue(repository, { engine: 'server' } as OpenDatabase, config);
    queues.push(queue);
    const to = newQueue();
    let ran = 0;
    queue.declare(to, async () => void ran++);
    await queue.start();
    const readOnly = Object.assign(new Error('cannot execute UPDATE in a read-only transaction'), { code: '25006' });
    const complete = jest.spyOn(repository, 'complete').mockRejectedValue(readOnly);
    jest.spyOn(timersPromises, 'setTimeout').mockImplementation(() => new Promise(setImmediate));
    await send(queue, to, 1);
    while (complete.mock.calls.length < 50) await new Promise(setImmediate);
    jest.restoreAllMocks();
    await until(async () => (await states(to))['completed'] === 1);
    expect(ran).toBe(1);
  });
});
