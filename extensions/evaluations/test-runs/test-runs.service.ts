import {
  AppError,
  type Caller,
  type Page,
  type PageRequest,
  decodeCursor,
  isUuid,
  notFound,
  pageOf,
  uuidv7,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantHistory, AssistantsService } from '../../../src/assistants';
import { storedCaller } from '../what-if/replay-worker.service';
import { AssistantTestRepository } from '../tests/assistant-test.repository';
import type { TestResultEntity } from './test-result.entity';
import { type StateCount, TestResultRepository } from './test-result.repository';
import { TestRunWorker } from './test-run-worker.service';
import type { TestResultDto, TestRunDto } from './test-run.dto';
import type { TestRunEntity } from './test-run.entity';
import { TestRunRepository } from './test-run.repository';

export function presentTestRun(testRun: TestRunEntity, all: readonly StateCount[]): TestRunDto {
  const { id, assistantVersion, createdAt, cancelledAt, finishedAt } = testRun;
  const own = all.filter(({ testRunId }) => testRunId === id);
  return {
    id,
    assistant_version: assistantVersion,
    status: finishedAt === null ? 'running' : cancelledAt === null ? 'completed' : 'cancelled',
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    total: own.reduce((sum, { count }) => sum + count, 0),
    counts: Object.fromEntries(own.map(({ state, count }) => [state, count])),
  };
}

export const presentResult = ({ testId, name, state, turns, asked, refusal }: TestResultEntity): TestResultDto => ({
  test_id: testId,
  name,
  state,
  turns: turns.map(({ question, expectations }) => ({ question, expectations: [...expectations] })),
  asked: asked.map((turn) => ({ ...turn, outcomes: [...turn.outcomes] })),
  refusal: refusal === null ? null : { code: refusal.code, detail: refusal.detail, errors: [...refusal.problems] },
});

export interface WantedTests {
  /** The newest when absent. */
  readonly version?: number | undefined;
  /** All when absent. */
  readonly ids?: readonly string[] | undefined;
}

/** Test runs of an assistant, for people who edit it. */
@Injectable()
export class TestRuns {
  constructor(
    private readonly testRuns: TestRunRepository,
    private readonly results: TestResultRepository,
    private readonly tests: AssistantTestRepository,
    private readonly worker: TestRunWorker,
    private readonly history: AssistantHistory,
    private readonly assistants: AssistantsService,
  ) {}

  /** @throws AppError `not_found`, `forbidden`; `conflict` without a test */
  async start(caller: Caller, assistantId: number, { version, ids }: WantedTests): Promise<TestRunDto> {
    const { organizationId, userId } = caller;
    const assistantVersion = version ?? (await this.history.newest(caller, assistantId));
    if (version !== undefined) await this.history.version(caller, assistantId, version);
    const tests = await this.tests.within(organizationId).all(assistantId, ids);
    if (tests.length === 0)
      throw new AppError('conflict', 'The assistant has no tests', { reason: 'assistant.no_tests' });
    const testRunId = uuidv7();
    const testRun = { id: testRunId, organizationId, assistantId, assistantVersion, userId };
    await this.worker.enqueue(
      { ...testRun, caller: storedCaller(caller) },
      tests.map(({ id: testId, version: testVersion, name, turns }) => ({
        ...{ id: uuidv7(), testRunId, testId, testVersion, name, turns },
      })),
    );
    return this.get(caller, assistantId, testRunId);
  }

  /** Newest first. */
  async list(caller: Caller, assistantId: number, page: PageRequest): Promise<Page<TestRunDto>> {
    await this.assistants.assertConfigurable(caller, assistantId);
    const scope = this.testRuns.within(caller.organizationId);
    const rows = await scope.page(assistantId, page.limit, idIn(page.cursor));
    const found = pageOf(rows, page.limit, ({ id }) => id);
    const counts = await this.results.within(caller.organizationId).counts(found.items.map(({ id }) => id));
    const items = found.items.map((row) => presentTestRun(row, counts));
    return { ...found, items, total: await scope.count(assistantId) };
  }

  async get(caller: Caller, assistantId: number, id: string): Promise<TestRunDto> {
    const row = await this.find(caller, assistantId, id);
    return presentTestRun(row, await this.results.within(caller.organizationId).counts([id]));
  }

  /** Results in the order of the tests. */
  async listResults(caller: Caller, assistantId: number, id: string, page: PageRequest): Promise<Page<TestResultDto>> {
    const row = await this.find(caller, assistantId, id);
    const scope = this.results.within(caller.organizationId);
    const rows = await scope.page(row.id, page.limit, idIn(page.cursor));
    const found = pageOf(rows, page.limit, (each) => each.id);
    const { total } = presentTestRun(row, await scope.counts([id]));
    return { ...found, items: found.items.map(presentResult), total };
  }

  /** The results so far stay. A second call changes nothing. */
  async cancel(caller: Caller, assistantId: number, id: string): Promise<TestRunDto> {
    await this.find(caller, assistantId, id);
    await this.testRuns.within(caller.organizationId).cancel(id);
    return this.get(caller, assistantId, id);
  }

  /** @throws AppError `not_found`, `forbidden` */
  async find(caller: Caller, assistantId: number, id: string): Promise<TestRunEntity> {
    await this.assistants.assertConfigurable(caller, assistantId);
    const row = isUuid(id) ? await this.testRuns.within(caller.organizationId).find(id) : null;
    if (row === null || row.assistantId !== assistantId) throw notFound('Test run');
    return row;
  }
}

function idIn(cursor: string | null): string | null {
  const [id] = cursor === null ? [] : (decodeCursor(cursor, 1) ?? []);
  return typeof id === 'string' && isUuid(id) ? id : null;
}
