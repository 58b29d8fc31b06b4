import { Semaphore, SemaphoreFullError, KeyedSemaphores, tryEnterAll } from './semaphore';

describe('Gate', () => {
  it('admits waiters in order of arrival, ahead of newcomers', async () => {
    const semaphore = new Semaphore(1);
    await semaphore.enter();
    const admitted: string[] = [];
    const first = semaphore.enter().then(() => admitted.push('first'));
    const second = semaphore.enter().then(() => admitted.push('second'));
    semaphore.leave();
    expect(semaphore.tryEnter()).toBe(false);
    await first;
    semaphore.leave();
    await second;
    expect(admitted).toEqual(['first', 'second']);
    semaphore.leave();
    expect(semaphore.isIdle).toBe(true);
  });

  it('takes an aborted waiter out of the queue at once', async () => {
    const semaphore = new Semaphore(1, 1);
    await semaphore.enter();
    const leaving = new AbortController();
    const left = semaphore.enter(leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    const next = semaphore.enter();
    semaphore.leave();
    await expect(next).resolves.toBeUndefined();
    semaphore.leave();
    expect(semaphore.isIdle).toBe(true);
  });

  it('rejects an aborted signal although a permit is free', async () => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.enter(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(semaphore.isIdle).toBe(true);
  });

  it('rejects one waiter more than may wait', async () => {
    const semaphore = new Semaphore(1, 1);
    await semaphore.enter();
    void semaphore.enter();
    await expect(semaphore.enter()).rejects.toThrow(SemaphoreFullError);
  });

  it('gives the permit back when the work fails', async () => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(semaphore.run(() => Promise.resolve(1))).resolves.toBe(1);
    expect(semaphore.isIdle).toBe(true);
  });

  it('does not begin work whose signal was aborted after the permit was handed over', async () => {
    const semaphore = new Semaphore(1);
    await semaphore.enter();
    const controller = new AbortController();
    const work = jest.fn(() => Promise.resolve());
    const running = semaphore.run(work, controller.signal);
    semaphore.leave();
    controller.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(work).not.toHaveBeenCalled();
    expect(semaphore.isIdle).toBe(true);
  });
});

describe('KeyedGates', () => {
  it('bounds each key by itself and forgets idle keys', async () => {
    const semaphores = new KeyedSemaphores(1);
    expect([semaphores.tryEnter('a'), semaphores.tryEnter('a'), semaphores.tryEnter('b')]).toEqual([true, false, true]);
    const waiting = semaphores.enter('a');
    expect([semaphores.size, semaphores.held('a'), semaphores.held('c')]).toEqual([2, 1, 0]);
    semaphores.leave('a');
    await waiting;
    expect(semaphores.tryEnter('a')).toBe(false);
    for (const key of ['a', 'b']) semaphores.leave(key);
    expect(semaphores.size).toBe(0);
  });

  it('keeps nothing for an aborted signal', async () => {
    const semaphores = new KeyedSemaphores(1);
    await expect(semaphores.enter('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(semaphores.size).toBe(0);
  });

  it('takes a permit of each or none', () => {
    const [persons, groups] = [new KeyedSemaphores(2), new KeyedSemaphores(1)];
    const leave = tryEnterAll([
      [persons, 'ane'],
      [groups, 'g'],
    ]);
    expect(
      tryEnterAll([
        [persons, 'ane'],
        [groups, 'g'],
      ]),
    ).toBeNull();
    expect([persons.held('ane'), groups.held('g')]).toEqual([1, 1]);
    leave?.();
    leave?.();
    expect([persons.size, groups.size]).toEqual([0, 0]);
  });
});
