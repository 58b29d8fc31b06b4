import { Gate, GateFullError, KeyedGates, tryEnterAll } from './gate';

describe('Gate', () => {
  it('admits waiters in order of arrival, ahead of newcomers', async () => {
    const gate = new Gate(1);
    await gate.enter();
    const admitted: string[] = [];
    const first = gate.enter().then(() => admitted.push('first'));
    const second = gate.enter().then(() => admitted.push('second'));
    gate.leave();
    expect(gate.tryEnter()).toBe(false);
    await first;
    gate.leave();
    await second;
    expect(admitted).toEqual(['first', 'second']);
    gate.leave();
    expect(gate.isIdle).toBe(true);
  });

  it('takes an aborted waiter out of the queue at once', async () => {
    const gate = new Gate(1, 1);
    await gate.enter();
    const leaving = new AbortController();
    const left = gate.enter(leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    const next = gate.enter();
    gate.leave();
    await expect(next).resolves.toBeUndefined();
    gate.leave();
    expect(gate.isIdle).toBe(true);
  });

  it('rejects an aborted signal although a permit is free', async () => {
    const gate = new Gate(1);
    await expect(gate.enter(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(gate.isIdle).toBe(true);
  });

  it('rejects one waiter more than may wait', async () => {
    const gate = new Gate(1, 1);
    await gate.enter();
    void gate.enter();
    await expect(gate.enter()).rejects.toThrow(GateFullError);
  });

  it('gives the permit back when the work fails', async () => {
    const gate = new Gate(1);
    await expect(gate.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(gate.run(() => Promise.resolve(1))).resolves.toBe(1);
    expect(gate.isIdle).toBe(true);
  });

  it('does not begin work whose signal was aborted after the permit was handed over', async () => {
    const gate = new Gate(1);
    await gate.enter();
    const controller = new AbortController();
    const work = jest.fn(() => Promise.resolve());
    const running = gate.run(work, controller.signal);
    gate.leave();
    controller.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(work).not.toHaveBeenCalled();
    expect(gate.isIdle).toBe(true);
  });
});

describe('KeyedGates', () => {
  it('bounds each key by itself and forgets idle keys', async () => {
    const gates = new KeyedGates(1);
    expect([gates.tryEnter('a'), gates.tryEnter('a'), gates.tryEnter('b')]).toEqual([true, false, true]);
    const waiting = gates.enter('a');
    expect([gates.size, gates.held('a'), gates.held('c')]).toEqual([2, 1, 0]);
    gates.leave('a');
    await waiting;
    expect(gates.tryEnter('a')).toBe(false);
    for (const key of ['a', 'b']) gates.leave(key);
    expect(gates.size).toBe(0);
  });

  it('keeps nothing for an aborted signal', async () => {
    const gates = new KeyedGates(1);
    await expect(gates.enter('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(gates.size).toBe(0);
  });

  it('takes a permit of each or none', () => {
    const [persons, groups] = [new KeyedGates(2), new KeyedGates(1)];
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
