import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../support/database';
import {
  addOrganization,
  framesIn,
  readAll,
  type RunProcess,
  runProcess,
  storedRunInput,
} from '../support/run-process';
import { until } from '../support/until';

describe('signals between processes', () => {
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

  function process(): RunProcess {
    const made = runProcess(dataSource, { signalUrl: testDatabaseUrl() });
    made.signals.start();
    processes.push(made);
    return made;
  }
  const heardBy = ({ signals }: RunProcess): string[] => {
    const heard: string[] = [];
    signals.on('greeting', (payload) => heard.push(payload));
    return heard;
  };
  async function connected(...all: RunProcess[]): Promise<void> {
    const heard = all.map(heardBy);
    let n = 0;
    await until(() => {
      n += 1;
      for (const { signals } of all) signals.publish('greeting', `${n}`);
      return heard.every((each) => new Set(each).size < each.length);
    });
  }

  it('reach every process, the own one once and at once', async () => {
    const [one, two] = [process(), process()];
    await connected(one, two);
    const [here, there] = [heardBy(one), heardBy(two)];
    one.signals.publish('greeting', 'hello "you" \n ☃');
    expect(here.at(-1)).toBe('hello "you" \n ☃');
    await until(() => there.at(-1) === 'hello "you" \n ☃');
    expect(here.filter((each) => each.startsWith('hello'))).toHaveLength(1);
  });

  it('are heard again after the connection was lost', async () => {
    const [one, two] = [process(), process()];
    await connected(one, two);
    await dataSource.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bellwether-signals'
      AND datname = current_database()`);
    await connected(one, two);
  });

  it('bring the events of a run and the request to cancel it to the other process', async () => {
    const [worker, other] = [process(), process()];
    worker.executeBy(async (run) => {
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
      worker.runs.finish(run, { status: 'cancelled', message: 'asked' });
    });
    // The worker does not poll for cancel requests here: its keeper is not started.
    worker.canceller.listen(() => undefined);
    await worker.jobs.start();
    await connected(worker, other);
    const { id } = await worker.runs.enqueue(storedRunInput({ organizationId }), {});
    await until(async () => (await other.runs.find(organizationId, id))?.status === 'running');
    const reading = readAll(other.runs, organizationId, id);
    await until(() => other.tails.size === 1);
    const told: string[] = [];
    other.signals.on('run.events', (ids) => told.push(...ids.split(',')));
    await other.runs.cancel(organizationId, id, 'asked');
    expect(framesIn(await reading).at(-1)?.event).toBe('run.cancelled');
    await until(() => told.includes(id));
  });
});
