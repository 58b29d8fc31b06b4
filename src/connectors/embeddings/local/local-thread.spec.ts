import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalThread } from './local-thread';

const never = new AbortController().signal;
/** Answers with the number of questions that it was given so far. */
const COUNTING = `
  const { parentPort } = require('node:worker_threads');
  let questions = 0;
  parentPort.on('message', ({ id }) => {
    questions += 1;
    const vectors = [[questions]];
    setTimeout(() => parentPort.postMessage({ id, vectors }), 30);
  });`;

describe('the thread of the local model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bw-thread-'));
  const file = join(folder, 'worker.cjs');
  writeFileSync(file, COUNTING);
  const thread = new LocalThread(file, 60_000);

  afterAll(async () => {
    await thread.close();
    rmSync(folder, { recursive: true });
  });

  it('does not compute what nobody waits for any more', async () => {
    const first = thread.embed(['a'], never);
    const given = new AbortController();
    const waiting = Array.from({ length: 100 }, () => thread.embed(['b'], given.signal));
    const ended = Promise.allSettled(waiting);
    const last = thread.embed(['c'], never);
    given.abort();
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
    expect([await first, await last]).toEqual([[[1]], [[2]]]);
  });

  it('goes on after a question that was given up while it was computed', async () => {
    const given = new AbortController();
    const first = thread.embed(['a'], given.signal);
    const second = thread.embed(['b'], never);
    given.abort();
    await expect(first).rejects.toThrow();
    expect(await second).toEqual([[4]]);
  });
});
