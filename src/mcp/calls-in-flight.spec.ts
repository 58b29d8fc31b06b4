import { CallsInFlight, type McpClient } from './calls-in-flight';

const client = (user: string, session: string): McpClient => ({
  caller: { organizationId: 'o', userId: user, credentialId: `key-${user}` },
  session,
});

describe('calls in flight', () => {
  it('are cancelled by the client that made them, and by nobody else', () => {
    const calls = new CallsInFlight();
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
    const calls = new CallsInFlight();
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
    const calls = new CallsInFlight();
    const ada = client('ada', '');
    const leaves = [1, 1, 2].map((id) => calls.enter(ada, id, () => undefined));
    for (const leave of leaves) leave();
    leaves[0]?.();
    expect(calls.size).toBe(0);
  });
});
