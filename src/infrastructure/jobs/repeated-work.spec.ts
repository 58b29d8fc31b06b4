import { RepeatedWork } from './job-queue';

describe('work that is done again and again', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is done one at a time, and waited for when it stops', async () => {
    const background = new RepeatedWork(() => undefined);
    let begun = 0;
    let end!: () => void;
    background.every(100, () => {
      begun += 1;
      return new Promise<void>((resolve) => (end = resolve));
    });
    await jest.advanceTimersByTimeAsync(350);
    expect(begun).toBe(1);
    end();
    await jest.advanceTimersByTimeAsync(100);
    expect(begun).toBe(2);
    background.stop();
    let settled = false;
    const waiting = background.settled().then(() => (settled = true));
    await jest.advanceTimersByTimeAsync(500);
    expect([begun, settled]).toEqual([2, false]);
    end();
    await waiting;
  });

  it('tells the first of failures in a row, and the next one after it has worked', async () => {
    const failed = jest.fn();
    const background = new RepeatedWork(failed);
    const outcomes = [false, false, true, false];
    background.every(100, () => (outcomes.shift() ? Promise.resolve() : Promise.reject(new Error('away'))));
    await jest.advanceTimersByTimeAsync(250);
    expect(failed).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(200);
    expect(failed).toHaveBeenCalledTimes(2);
    background.stop();
  });
});
