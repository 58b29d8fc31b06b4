import type { Signals } from '../../src/infrastructure/signals';
import { CallsInFlight, type McpClient } from './mcp-assistant-calls.service';

/** Processes that hear each other at once. */
function replicas(count: number): CallsInFlight[] {
  const handlers: ((payload: string) => void)[] = [];
  const signals = {
    on: (_topic: string, handler: (payload: string) => void) => void handlers.push(handler),
    publish: (_topic: string, payload: string) => handlers.forEach((handler) => handler(payload)),
  };
  return Array.from({ length: count }, () => new CallsInFlight(signals as unknown as Signals));
}

const callsInFlight = (): CallsInFlight => replicas(1)[0]!;

const client = (user: string, session: string): McpClient => ({
  caller: { organizationId: 'o', userId: user, credentialId: `key-${user}` },
  session,
});

describe('calls in flight', () => {
  it('are cancelled by the client that made them, and by nobody else', () => {
    const calls = callsInFlight();
    const stopped: string[] = [];
    calls.enter(client('ada', 's1'), 1, () => stopped.push('ada'));
    calls.enter(client('ada', 's2'), 1, () => stopped.push('ada, other client'));
    calls.enter(client('bob', 's1'), 1, () => stopped.push('bob'));
    calls.cancel(client('eve', 's1'), 1);
    calls.cancel(client('ada', 's1'), '1');
    calls.cancel(client('ada', 's1'), 2);
    expect(stopped).toEqual([]);
    calls.cancel(client('ada', 's1'), 1);
    expect(stopped).toEqual(['ada']);
  });

  it('end with their session', () => {
    const calls = callsInFlight();
    const stop = jest.fn();
    const ada = client('ada', '');
    calls.enter(ada, 1, stop);
    calls.enter(ada, 'two', stop);
    calls.cancelAll(client('bob', ''));
    expect(stop).not.toHaveBeenCalled();
    calls.cancelAll(ada);
    expect(stop).toHaveBeenCalledTimes(2);
  });

  it('leave nothing behind, also when one id is used twice', () => {
    const calls = callsInFlight();
    const ada = client('ada', '');
    const leaves = [1, 1, 2].map((id) => calls.enter(ada, id, () => undefined));
    for (const leave of leaves) leave();
    leaves[0]?.();
    expect(calls.size).toBe(0);
  });

  it('end wherever they run, whichever replica hears of it', () => {
    const [here, there] = replicas(2);
    const ada = client('ada', 's1');
    const stopped: string[] = [];
    there?.enter(ada, 1, () => stopped.push('one'));
    there?.enter(ada, 'two', () => stopped.push('two'));
    here?.cancel(client('eve', 's1'), 1);
    here?.cancel(ada, 1);
    expect(stopped).toEqual(['one']);
    here?.cancelAll(ada);
    expect(stopped).toContain('two');
  });
});
