import { CallScope } from './contract';
import type { CheckedOutput } from './read-output';
import { callOf, fakeTool, OWNER } from './testing/call';
import { bulkhead, TargetLimiters } from './call-pipeline';
import { uncountedTools } from './tool.metrics';
import { Circuits } from './circuits';
import type { Next } from './policy.types';

const TARGET = 'h:443';
const TOOL = fakeTool(() => Promise.reject(new Error('not called')));
const OUTPUT = {} as CheckedOutput;

/** A call to one host, of a run that can be stopped; its work lasts until `end`. */
function slowCall(policy: ReturnType<typeof bulkhead>) {
  const run = new AbortController();
  const call = callOf(TOOL, { target: TARGET, scope: new CallScope(run.signal) });
  let end = (): void => undefined;
  const ended = new Promise<CheckedOutput>((resolve) => (end = () => resolve(OUTPUT)));
  const work = jest.fn<ReturnType<Next>, Parameters<Next>>(() => ended);
  const running = Promise.resolve(policy(work)(call)).finally(() => call.deadline.close());
  return { running, work, end, stop: () => run.abort() };
}

describe('permits of a host', () => {
  it('go to the next call that still waits, past one that was stopped', async () => {
    const gates = new TargetLimiters(1);
    const policy = bulkhead(gates, new Circuits(uncountedTools()));
    const working = Array.from({ length: 4 }, () => slowCall(policy));
    const leaving = slowCall(policy);
    const next = slowCall(policy);
    leaving.stop();
    await expect(leaving.running).rejects.toMatchObject({ code: 'tool.cancelled' });
    working[0]?.end();
    await new Promise(setImmediate);
    expect([next.work, leaving.work].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    for (const { end } of [...working, next]) end();
    await Promise.all([...working, next].map(({ running }) => running));
    expect(gates.isIdle).toBe(true);
  });

  it('are released by work that fails', async () => {
    const gates = new TargetLimiters(1);
    const failing = bulkhead(gates, new Circuits(uncountedTools()))(() => Promise.reject(new Error('no')));
    for (let call = 0; call < 9; call += 1) {
      const failed = callOf(TOOL, { target: TARGET });
      await expect(failing(failed)).rejects.toThrow('no');
      failed.deadline.close();
    }
    expect(gates.isIdle).toBe(true);
  });

  it.each([
    ['of the organization', 'shares' as const, `${OWNER.organizationId} ${TARGET}`, 4],
    ['of the host', 'hosts' as const, TARGET, 8],
  ])('%s are released by a call that ended after it got one, before it could start', async (_, kind, key, limit) => {
    const gates = new TargetLimiters(1);
    for (let held = 0; held < limit; held += 1) expect(gates[kind].tryEnter(key)).toBe(true);
    const late = slowCall(bulkhead(gates, new Circuits(uncountedTools())));
    await new Promise(setImmediate);
    gates[kind].leave(key);
    late.stop();
    await expect(late.running).rejects.toMatchObject({ code: 'tool.cancelled' });
    expect(late.work).not.toHaveBeenCalled();
    for (let held = 1; held < limit; held += 1) gates[kind].leave(key);
    expect(gates.isIdle).toBe(true);
  });
});
