import type { TestResultDto, TestRunDto } from './test-run.dto';
import type { StateCount } from './test-result.repository';
import type { TestResultEntity } from './test-result.entity';
import type { TestRunEntity } from './test-run.entity';

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
