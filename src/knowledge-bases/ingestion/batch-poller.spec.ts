import { setTimeout as sleep } from 'node:timers/promises';
import { BatchPoller } from './batch-poller';

const MINUTE_MS = 60_000;

describe('requests that wait', () => {
  it('are let go with few questions, each as soon as its documents are done', async () => {
    const open = new Set(Array.from({ length: 200 }, (_, n) => `d${n}`));
    let questions = 0;
    let atOnce = 0;
    const room = new BatchPoller(
      async (ids) => {
        questions++;
        atOnce++;
        expect(atOnce).toBe(1);
        await sleep(5);
        atOnce--;
        return new Set(ids.filter((id) => open.has(id)));
      },
      () => false,
    );
    const waits = [...open].map((id) => room.wait([id], MINUTE_MS));
    for (const id of [...open]) {
      open.delete(id);
      room.notify();
      if (id === 'd100') await waits[0];
    }
    await Promise.all(waits);
    expect(questions).toBeLessThan(10);
  });

  it('are let go at their limit, and when the process stops', async () => {
    let closing = false;
    const room = new BatchPoller(
      (ids) => Promise.resolve(new Set(ids)),
      () => closing,
    );
    await room.wait(['a'], 0);
    const wait = room.wait(['a'], MINUTE_MS);
    closing = true;
    room.notify();
    await wait;
  });

  it('are told when nobody can say, and others may wait afterwards', async () => {
    let away = true;
    const room = new BatchPoller(
      () => (away ? Promise.reject(new Error('away')) : Promise.resolve(new Set<string>())),
      () => false,
    );
    await expect(room.wait(['a'], MINUTE_MS)).rejects.toThrow('away');
    away = false;
    await room.wait(['a'], MINUTE_MS);
  });
});
