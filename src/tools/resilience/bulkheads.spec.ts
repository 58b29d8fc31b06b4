import { Bulkheads } from './bulkheads';

/** Work that ends when it is told to. */
function slowWork(): { readonly work: () => Promise<void>; readonly end: () => void; readonly begun: () => boolean } {
  let begun = false;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = (): Promise<void> => {
    begun = true;
    return ended;
  };
  return { work, end, begun: () => begun };
}

describe('room at a host', () => {
  const asking = { organizationId: 'o', target: 'h:443', signal: new AbortController().signal };

  it('goes to the next who still waits, when the one before is gone', async () => {
    const bulkheads = new Bulkheads(1);
    const working = Array.from({ length: 4 }, slowWork);
    const running = working.map(({ work }) => bulkheads.through(asking, work));
    const gone = new AbortController();
    const left = slowWork();
    const leaving = bulkheads.through({ ...asking, signal: gone.signal }, left.work);
    const next = slowWork();
    const waiting = bulkheads.through(asking, next.work);
    gone.abort();
    await expect(leaving).rejects.toMatchObject({ name: 'AbortError' });
    working[0]?.end();
    await new Promise(setImmediate);
    expect([next.begun(), left.begun()]).toEqual([true, false]);
    for (const { end } of [...working, next]) end();
    await Promise.all([...running, waiting]);
    expect(bulkheads.isIdle).toBe(true);
  });

  it('is given back by work that fails', async () => {
    const bulkheads = new Bulkheads(1);
    for (let call = 0; call < 9; call += 1)
      await expect(bulkheads.through(asking, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(bulkheads.isIdle).toBe(true);
  });
});
