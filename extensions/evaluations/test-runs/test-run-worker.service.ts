import type { AppError } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { type BatchState, type NextRun, RunBatches } from '../../../src/answering';
import { CONFIG, type Config } from '../../../src/infrastructure/config';
import { Transactions } from '../../../src/infrastructure/database';
import { JobQueue, type Queue, type RunningJob } from '../../../src/infrastructure/jobs';
import { goneIn } from '../replays/run-replays.service';
import { RunsService } from '../../../src/runs';
import { TestAsking } from './asking.service';
import type { TestResultEntity } from './test-result.entity';
import { type NewTestResult, TestResultRepository } from './test-result.repository';
import type { TestRunEntity } from './test-run.entity';
import { TestRunRepository } from './test-run.repository';

interface TestRunJob {
  readonly testRunId: string;
  readonly organizationId: string;
}

const QUEUE: Queue<TestRunJob> = { name: 'test-run', concurrency: 4, retries: 20, retryDelay: 2 };
const SWEEP_MS = 60_000;
const CANCELLED = 'the tests were cancelled';

/** Works through test runs, within the limits of the organization. */
@Injectable()
export class TestRunWorker {
  constructor(
    private readonly testRuns: TestRunRepository,
    private readonly results: TestResultRepository,
    private readonly asking: TestAsking,
    private readonly runs: RunsService,
    private readonly batches: RunBatches,
    private readonly transactions: Transactions,
    private readonly jobs: JobQueue,
    @Inject(CONFIG) config: Config,
  ) {
    jobs.declare(QUEUE, (job) => this.work(job));
    jobs.sweep(SWEEP_MS, async ({ first }) => {
      await this.jobs.sendLost(QUEUE, (await this.testRuns.unfinished()).map(jobOf));
      if (!first) await this.testRuns.removeOlderThan(config.runs.retentionDays);
    });
  }

  /** Stores a test run with its results, and its job. */
  async enqueue(
    {
      organizationId,
      ...testRun
    }: Pick<TestRunEntity, 'id' | 'organizationId' | 'assistantId' | 'assistantVersion' | 'userId' | 'caller'>,
    results: readonly NewTestResult[],
  ): Promise<void> {
    await this.transactions.run(async (tx) => {
      await this.testRuns.within(organizationId, tx).insert(testRun);
      await this.results.within(organizationId, tx).insertAll(results);
      await this.jobs.send(QUEUE, [jobOf({ id: testRun.id, organizationId })], tx);
    });
    this.jobs.wake(QUEUE);
  }

  private work({ data: { testRunId, organizationId }, signal }: RunningJob<TestRunJob>): Promise<void> {
    const scope = this.testRuns.within(organizationId);
    const look = async (): Promise<BatchState | null> => {
      const testRun = await scope.find(testRunId);
      return testRun === null || testRun.finishedAt !== null ? null : this.look(testRun, signal);
    };
    const finish = async (): Promise<void> => {
      await this.results.within(organizationId).cancelOpen(testRunId);
      await scope.finish(testRunId);
    };
    const job = jobOf({ id: testRunId, organizationId });
    const queueAgain = (): Promise<void> => this.transactions.run((tx) => this.jobs.send(QUEUE, [job], tx));
    return this.batches.work({ cancelReason: CANCELLED, look, finish, queueAgain }, signal);
  }

  /** Checks the answers that have come. */
  private async look(testRun: TestRunEntity, signal: AbortSignal): Promise<BatchState> {
    const { id, organizationId, cancelledAt } = testRun;
    const scope = this.results.within(organizationId);
    const cancelled = cancelledAt !== null;
    const asked = await scope.running(id);
    const ids = asked.flatMap(({ runId }) => runId ?? []);
    const going = await this.runs.unended(organizationId, ids);
    const ended = asked.filter(({ runId }) => runId !== null && !going.includes(runId));
    // After a cancellation no judge is asked any more.
    if (!cancelled) await Promise.all(ended.map((result) => this.asking.settle(testRun, result, signal)));
    const waiting = cancelled ? null : await scope.nextWaiting(id);
    return { organizationId, cancelled, going, next: waiting === null ? null : this.next(testRun, waiting) };
  }

  private next(testRun: TestRunEntity, result: TestResultEntity): NextRun {
    return {
      start: () => this.asking.ask(testRun, result),
      refuse: async (refusal) => {
        const state = goneIn(refusal).length > 0 ? 'gone' : 'not_asked';
        await this.results.within(testRun.organizationId).update(result.id, { state, refusal: shown(refusal) });
      },
    };
  }
}

const jobOf = ({ id, organizationId }: Pick<TestRunEntity, 'id' | 'organizationId'>) => ({
  key: id,
  data: { testRunId: id, organizationId },
});

const shown = ({ code, detail, problems }: AppError) => ({ code, detail, problems });
