import type { Call } from './call';
import { TryTimeout } from './deadline';
import { callOf, fakeTool } from './testing/call';
import { LearnedTimes, attempt } from './call-pipeline';

const ANSWER = { content: 'ok', sources: [], confidence: null };
const hang = (): Promise<never> => new Promise(() => undefined);
const failure = async (call: Call): Promise<unknown> => {
  try {
    return await attempt(new LearnedTimes())(call);
  } catch (error) {
    return error;
  }
};

describe('a try', () => {
  it('ends at its learned bound while the call has more time', async () => {
    const call = callOf({ ...fakeTool(hang), timeoutMs: 10_000 });
    call.boundMs = 20;
    expect(await failure(call)).toBeInstanceOf(TryTimeout);
    call.deadline.close();
  });

  it('ends with its call where waits have left less than the learned bound', async () => {
    const call = callOf({ ...fakeTool(hang), timeoutMs: 100 }, { startedAt: performance.now() - 80 });
    call.boundMs = 90;
    const error = await failure(call);
    expect(error).toMatchObject({ code: 'tool.timeout' });
    expect(error).not.toBeInstanceOf(TryTimeout);
  });

  it('is timed without the look-up of its target, and without the wait for a probe', async () => {
    for (const target of [() => Promise.resolve(null), undefined]) {
      const tool = fakeTool(() => Promise.resolve(ANSWER));
      const call = callOf(target === undefined ? tool : { ...tool, target }, { startedAt: performance.now() - 500 });
      await attempt(new LearnedTimes())(call);
      expect(call.tryMs).toBeLessThan(400);
      call.deadline.close();
    }
  });
});
