import { CallLimiter } from './embeddings.service';

const never = new AbortController().signal;

/** Work that ends when it is told to. */
function task() {
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  return { work: () => done, finish };
}

describe('a gate', () => {
  it('lets so many through at a time, in the order in which they came', async () => {
    const limiter = new CallLimiter(2);
    const order: number[] = [];
    const tasks = [1, 2, 3, 4].map((number) => {
      const each = task();
      const ended = limiter.run(never, () => {
        order.push(number);
        return each.work();
      });
      return { ...each, ended };
    });
    await Promise.resolve();
    expect(order).toEqual([1, 2]);
    tasks[1]?.finish();
    await tasks[1]?.ended;
    await new Promise(setImmediate);
    expect(order).toEqual([1, 2, 3]);
    for (const { finish } of tasks) finish();
    await Promise.all(tasks.map(({ ended }) => ended));
    expect(order).toEqual([1, 2, 3, 4]);
    expect(limiter.isIdle).toBe(true);
  });

  it('stays closed for the time that a vendor named', async () => {
    const limiter = new CallLimiter(1);
    limiter.close(60);
    const started = performance.now();
    await limiter.run(never, () => Promise.resolve());
    expect(performance.now() - started).toBeGreaterThan(55);
  });

  it('lets a job wait for a minute and no longer', async () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(0);
    const codeAfter = (ms: number): Promise<unknown> => {
      const limiter = new CallLimiter(1);
      limiter.close(ms);
      const leaving = new AbortController();
      const run = limiter.run(leaving.signal, () => Promise.resolve());
      setImmediate(() => leaving.abort());
      return run.catch((error: unknown) => (error as { code: unknown }).code);
    };
    expect(await codeAfter(60_000)).toBe('cancelled');
    expect(await codeAfter(60_001)).toBe('upstream_rate_limited');
    now.mockRestore();
  });

  it('sends away at once who would wait for minutes', async () => {
    const limiter = new CallLimiter(1);
    limiter.close(86_400_000);
    const work = jest.fn();
    await expect(limiter.run(never, work)).rejects.toMatchObject({ code: 'upstream_rate_limited', retryAfter: 86_400 });
    await expect(limiter.run(never, work)).rejects.toMatchObject({ code: 'upstream_rate_limited' });
    expect(work).not.toHaveBeenCalled();
  });

  it('gives up a place that nobody waits for any more', async () => {
    const limiter = new CallLimiter(1);
    const first = task();
    const held = limiter.run(never, first.work);
    const leave = new AbortController();
    const second = limiter.run(leave.signal, () => Promise.reject(new Error('never begun')));
    const third = limiter.run(never, () => Promise.resolve('third'));
    leave.abort();
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    first.finish();
    await held;
    expect(await third).toBe('third');
  });

  it('goes on after work that fails, and after waiting that was given up', async () => {
    const limiter = new CallLimiter(1);
    await expect(limiter.run(never, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    limiter.close(10_000);
    await expect(limiter.run(AbortSignal.timeout(10), () => Promise.resolve())).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(limiter.isIdle).toBe(false);
  });
});
