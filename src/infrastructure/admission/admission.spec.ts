import type { Config } from '../config';
import { MetricRegistry } from '../telemetry';
import { Admission, type ReleaseSlot, LoopLag } from './admission';

const WAIT_MS = 1_000;

function admissionOf(places: number, waiting: number): Admission {
  const completions = { process: places, waiting, waitMs: WAIT_MS, person: 1 };
  const config = { runs: { completions }, eventLoop: { delayLimitMs: 0 } } as unknown as Config;
  return new Admission(config, new MetricRegistry());
}

const ask = (admission: Admission, organizationId: string, gone: AbortSignal | null = null): Promise<ReleaseSlot> =>
  admission.enter({ organizationId, weight: 1, gone });

const OVERLOADED = { code: 'overloaded', retryAfter: expect.any(Number) as number };

describe('admission', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it('has further questions wait, and hands each place on', async () => {
    const admission = admissionOf(1, 2);
    const first = await ask(admission, 'a');
    expect(admission.tryEnter('a')).toBeNull();
    const second = ask(admission, 'a');
    const third = ask(admission, 'b');
    expect([admission.placesHeld(), admission.waiting]).toEqual([1, 2]);
    first();
    first();
    // Organizations `a` and `b` hold no place: the question that came first is next.
    (await second)();
    (await third)();
    expect([admission.placesHeld(), admission.placesHeld('a'), admission.waiting]).toEqual([0, 0, 0]);
    expect(jest.getTimerCount()).toBe(1);
  });

  it('refuses what does not fit, the newest of the organization with the most first', async () => {
    const admission = admissionOf(1, 2);
    const leave = await ask(admission, 'course');
    const kept = ask(admission, 'course');
    const newest = ask(admission, 'course');
    await expect(ask(admission, 'course')).rejects.toMatchObject(OVERLOADED);
    const other = ask(admission, 'other');
    await expect(newest).rejects.toMatchObject(OVERLOADED);
    leave();
    (await kept)();
    (await other)();
    expect([admission.placesHeld(), admission.waiting]).toEqual([0, 0]);
  });

  it('refuses those that wait too long, with one timer for all', async () => {
    const admission = admissionOf(1, 10);
    const leave = await ask(admission, 'a');
    const ends: string[] = [];
    const note = (name: string) => ask(admission, 'a').catch(() => void ends.push(name));
    const first = note('first');
    await jest.advanceTimersByTimeAsync(WAIT_MS / 2);
    const second = note('second');
    expect(jest.getTimerCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(WAIT_MS / 2);
    await first;
    expect([ends, admission.waiting, jest.getTimerCount()]).toEqual([['first'], 1, 1]);
    await jest.advanceTimersByTimeAsync(WAIT_MS / 2);
    await second;
    leave();
    expect([admission.placesHeld(), admission.waiting, jest.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it('refuses at once where the measured rate says that the wait would be too long', async () => {
    const admission = admissionOf(1, 10);
    for (let n = 0; n < 4; n++) {
      const leave = await ask(admission, 'a');
      await jest.advanceTimersByTimeAsync(0.75 * WAIT_MS);
      leave();
    }
    const leave = await ask(admission, 'a');
    const waits = ask(admission, 'a');
    const refused = ask(admission, 'a');
    await expect(refused).rejects.toMatchObject({ ...OVERLOADED, retryAfter: 2 });
    leave();
    (await waits)();
  });

  it('begins four in a turn of the event loop, the others in the next ones', async () => {
    const admission = admissionOf(100, 100);
    const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const all = Array.from({ length: 10 }, () => ask(admission, 'a'));
    const seen = [admission.placesHeld()];
    for (let turn = 0; turn < 2; turn++) {
      await turns();
      seen.push(admission.placesHeld());
    }
    expect(seen).toEqual([4, 8, 10]);
    for (const leave of await Promise.all(all)) leave();
    expect([admission.placesHeld(), admission.waiting]).toEqual([0, 0]);
  });

  it('frees the place in the queue of a client that leaves', async () => {
    const admission = admissionOf(1, 1);
    const leave = await ask(admission, 'a');
    const leaving = new AbortController();
    const left = ask(admission, 'a', leaving.signal);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    await expect(ask(admission, 'a', AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    const next = ask(admission, 'a');
    leave();
    (await next)();
    expect(admission.placesHeld()).toBe(0);
  });

  it('takes a late event loop for an overload only while several answers are in progress', async () => {
    jest.spyOn(LoopLag.prototype, 'start').mockImplementationOnce(function (this: LoopLag) {
      this.isOver = true;
    });
    const admission = admissionOf(20, 0);
    admission.onModuleInit();
    const leaving = Array.from({ length: 8 }, () => {
      admission.assertOpen();
      return admission.tryEnter('a');
    });
    expect(leaving).not.toContain(null);
    expect(() => admission.assertOpen()).toThrow(expect.objectContaining(OVERLOADED) as Error);
    expect(admission.tryEnter('a')).toBeNull();
    leaving[0]?.();
    admission.assertOpen();
    expect(admission.tryEnter('a')).not.toBeNull();
  });

  it('refuses those that wait when the service stops', async () => {
    const admission = admissionOf(1, 1);
    await ask(admission, 'a');
    const waiting = ask(admission, 'a');
    admission.refuseWaiting();
    await expect(waiting).rejects.toMatchObject({ code: 'server_shutdown' });
  });
});
