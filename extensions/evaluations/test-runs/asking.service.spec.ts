import { AppError } from '@bellwether/kernel';
import { TestAsking } from './asking.service';
import type { TestResultEntity } from './test-result.entity';
import type { TestRunEntity } from './test-run.entity';

describe('an answer whose assistant is gone before it is checked', () => {
  const testRun = { organizationId: 'o', assistantId: 7, caller: {} } as TestRunEntity;
  const result = { id: 'r', runId: 'run', asked: [], turns: [] } as unknown as TestResultEntity;

  function settling(failure: AppError) {
    const update = jest.fn();
    const needs = {
      results: { within: () => ({ update }) },
      assistants: { newest: () => Promise.reject(failure) },
      runs: { find: () => Promise.resolve({ status: 'completed' }) },
    };
    const { results, assistants, runs } = needs;
    const given = [results, {}, {}, {}, assistants, runs, {}] as unknown as ConstructorParameters<typeof TestAsking>;
    const settled = new TestAsking(...given).settle(testRun, result, new AbortController().signal);
    return { settled, update };
  }

  it('ends its test, so that the test run ends', async () => {
    const { settled, update } = settling(new AppError('not_found', 'Assistant not found'));
    await settled;
    const refusal = { code: 'not_found', detail: 'Assistant not found', problems: [] };
    expect(update).toHaveBeenCalledWith('r', { state: 'not_asked', runId: null, refusal });
  });

  it('waits while the database is away', async () => {
    const { settled, update } = settling(new AppError('unavailable', 'Try again'));
    await expect(settled).rejects.toMatchObject({ code: 'unavailable' });
    expect(update).not.toHaveBeenCalled();
  });
});
