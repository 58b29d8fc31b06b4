import { Run } from '../../runs';
import { SERVER_SHUTDOWN, StreamsInFlight } from './streams-in-flight';

const run = (): Run =>
  new Run({
    assistant: { id: 1, name: 'a', organizationId: 'o', ownerId: 'u', type: 'classic' },
    caller: {
      kind: 'system',
      credentialId: null,
      organizationId: 'o',
      organizationSlug: 'default',
      userId: 'u',
      role: 'owner',
      systemAdmin: false,
      scopes: ['chat'],
      assistantIds: null,
    },
    strategy: null,
    stream: true,
  });

describe('StreamsInFlight', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is drained at once when nothing is in flight, and refuses from then on', async () => {
    const inFlight = new StreamsInFlight();
    inFlight.assertOpen();
    await inFlight.drain(10_000);
    expect(() => inFlight.assertOpen()).toThrow(expect.objectContaining({ code: 'server_shutdown' }));
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits for those in flight and aborts none that end in time', async () => {
    const inFlight = new StreamsInFlight();
    const [one, two] = [run(), run()];
    const leave = [one, two].map((each) => inFlight.enter(each));
    let drained = false;
    void inFlight.drain(10_000).then(() => (drained = true));
    leave[0]?.();
    await jest.advanceTimersByTimeAsync(9_000);
    expect(drained).toBe(false);
    leave[1]?.();
    await jest.advanceTimersByTimeAsync(0);
    expect(drained).toBe(true);
    expect([one, two].some(({ signal }) => signal.aborted)).toBe(false);
  });

  it('aborts the rest at the limit and does not wait for ever for their farewell', async () => {
    const inFlight = new StreamsInFlight();
    const stuck = run();
    inFlight.enter(stuck);
    let drained = false;
    void inFlight.drain(10_000).then(() => (drained = true));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(stuck.abortReason).toBe(SERVER_SHUTDOWN);
    expect(drained).toBe(false);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(drained).toBe(true);
  });
});
