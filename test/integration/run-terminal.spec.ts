import { Logger } from '@nestjs/common';
import * as fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { beforeVendorCall } from '../../src/infrastructure/outbound';
import type { Run } from '../../src/runs';
import { openTestDatabase, resetDatabase } from '../support/database';
import {
  addOrganization,
  framesIn,
  readAll,
  type RunProcess,
  runProcess,
  storedRunInput,
} from '../support/run-process';

/** What may happen to a run that goes on, by whom, in any order and at the same time. */
const ACTS = [
  'tell',
  'complete',
  'fail',
  'return',
  'throw',
  'cancel here',
  'cancel elsewhere',
  'reap',
  'beat',
  'shutdown',
] as const;
type Act = (typeof ACTS)[number];

const TERMINAL = ['run.completed', 'run.failed', 'run.cancelled'];

describe('the end of a background run', () => {
  let dataSource: DataSource;
  let organizationId: string;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    dataSource = await openTestDatabase();
    await resetDatabase(dataSource);
    organizationId = await addOrganization(dataSource);
  });
  afterAll(async () => {
    await resetDatabase(dataSource);
    await dataSource.destroy();
  });

  interface Begun {
    readonly run: Run;
    readonly settle: { done(): void; failed(error: Error): void };
  }

  async function begin(worker: RunProcess): Promise<Begun> {
    let begun!: (value: Begun) => void;
    const beginning = new Promise<Begun>((resolve) => (begun = resolve));
    worker.executeBy(async (run) => {
      // From here on nobody begins the run again.
      await beforeVendorCall.getStore()?.();
      await new Promise<void>((done, failed) => {
        run.signal.addEventListener('abort', () => failed(new Error('aborted')), { once: true });
        begun({ run, settle: { done, failed } });
      });
    });
    await worker.jobs.start();
    await worker.runs.enqueue(storedRunInput({ organizationId }), {});
    return beginning;
  }

  function perform(act: Act, n: number, { run, settle }: Begun, worker: RunProcess, other: RunProcess): unknown {
    const cancel = ({ runs }: RunProcess) => runs.cancel(organizationId, run.id, 'asked').catch(() => undefined);
    const acts: Readonly<Record<Act, () => unknown>> = {
      tell: () =>
        run.emit(n % 2 === 0 ? { type: 'llm.delta', text: `${n} ` } : { type: 'run.progress', message: `${n}` }),
      complete: () => worker.runs.finish(run, { status: 'completed', finishReason: 'stop' }),
      fail: () => worker.runs.finish(run, { status: 'failed', errorCode: 'upstream_error', message: 'x' }),
      return: () => settle.done(),
      throw: () => settle.failed(new Error('a defect')),
      'cancel here': () => cancel(worker),
      'cancel elsewhere': () => cancel(other).then(() => worker.canceller.abortRequested()),
      reap: async () => other.leases.reap(await other.leases.expired(0, []), () => Promise.resolve()),
      beat: () => worker.keeper.beat(),
      shutdown: () => worker.stop(1_000),
    };
    return acts[act]();
  }

  const logOf = (id: string) =>
    dataSource.query<{ seq: number; type: string; data: string }[]>(
      'SELECT seq, type, data FROM run_events WHERE run_id = $1 ORDER BY seq',
      [id],
    );

  it('is told exactly once, last, and as the row has it, whatever happens at the same time', async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...ACTS), fc.constantFrom(0, 0, 1, 5, 20)), {
      minLength: 1,
      maxLength: 8,
    });
    const scenario = async (plan: readonly (readonly [Act, number])[]): Promise<void> => {
      const [worker, other] = [runProcess(dataSource), runProcess(dataSource)];
      try {
        const begun = await begin(worker);
        const { id } = begun.run;
        const reading = readAll(other.runs, organizationId, id);
        const acts: unknown[] = [];
        for (const [n, [act, pause]] of plan.entries()) {
          acts.push(perform(act, n, begun, worker, other));
          if (pause > 0) await sleep(pause);
        }
        begun.settle.done();
        await Promise.all(acts);
        const read = framesIn(await reading);
        const log = await logOf(id);
        // What a worker says that has lost its run counts no more.
        worker.runs.finish(begun.run, { status: 'completed' });
        begun.run.emit({ type: 'run.progress', message: 'late' });
        await worker.stop(1_000);
        expect(await logOf(id)).toEqual(log);

        expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1));
        expect(log.filter(({ type }) => TERMINAL.includes(type))).toHaveLength(1);
        expect(log.at(-1)?.type).toBe(`run.${(await other.runs.find(organizationId, id))?.status}`);
        expect(read.map((frame) => [frame.id, frame.event, frame.data])).toEqual(
          log.map(({ seq, type, data }) => [seq, type, JSON.parse(data)]),
        );
        expect(await dataSource.query('SELECT FROM run_requests WHERE run_id = $1', [id])).toEqual([]);
      } finally {
        await worker.stop(0);
        await other.stop(0);
      }
    };
    await fc.assert(fc.asyncProperty(steps, scenario), {
      numRuns: 30,
      examples: [
        [
          [
            ['complete', 0],
            ['reap', 0],
          ],
        ],
        [
          [
            ['reap', 0],
            ['complete', 0],
          ],
        ],
        [
          [
            ['cancel elsewhere', 0],
            ['complete', 0],
            ['shutdown', 0],
          ],
        ],
        [
          [
            ['tell', 0],
            ['shutdown', 0],
            ['reap', 1],
          ],
        ],
      ],
    });
  }, 60_000);
});
