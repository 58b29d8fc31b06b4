import * as fc from 'fast-check';
import type { LoggedEvent } from './run.types';
import { Tail } from './run-tails';

const event = (seq: number, type: LoggedEvent['type'] = 'llm.delta', data = `{"seq":${seq}}`): LoggedEvent => ({
  seq,
  type,
  at: '2026-11-22T10:00:00.000Z',
  data,
});
const events = (from: number, to: number): LoggedEvent[] =>
  Array.from({ length: to - from + 1 }, (_, n) => event(from + n));

describe('Tail', () => {
  it('gives every reader what he does not have yet', () => {
    const tail = new Tail('run');
    tail.push(events(1, 3));
    expect(tail.since(0)).toEqual(events(1, 3));
    expect(tail.since(2)).toEqual([event(3)]);
    expect(tail.since(3)).toEqual([]);
  });

  it('takes no event twice, and none whose predecessor is missing', () => {
    const tail = new Tail('run');
    expect(tail.push(events(1, 2))).toBe(true);
    expect(tail.push(events(1, 4))).toBe(true);
    expect(tail.push(events(6, 7))).toBe(false);
    expect(tail.lastSeq).toBe(4);
    expect(tail.since(0)).toEqual(events(1, 4));
  });

  it('forgets the oldest when it holds too much, and says so', () => {
    const tail = new Tail('run');
    for (let seq = 1; seq <= 40; seq++) tail.push([event(seq, 'llm.delta', 'x'.repeat(10_000))]);
    expect(tail.since(0)).toBeUndefined();
    expect(tail.since(39)?.map(({ seq }) => seq)).toEqual([40]);
  });

  it('ends with the terminal event and takes nothing after it', async () => {
    const tail = new Tail('run');
    const seen: LoggedEvent[] = [];
    const following = tail.follow(0, new AbortController().signal, (taken) => void seen.push(...taken));
    tail.push([event(1), event(2, 'run.completed')]);
    expect(seen).toHaveLength(2);
    expect(await following).toBe(2);
    expect(tail.ended).toBe(true);
    expect(tail.push(events(3, 3))).toBe(false);
    expect(tail.lastSeq).toBe(2);
  });

  it('gives new events in the same turn until a reader holds one back, fails or leaves', async () => {
    const tail = new Tail('run');
    tail.push(events(1, 2));
    const leaving = new AbortController();
    const seen: (readonly [string, number])[] = [];
    const reader = (name: string, answer: () => Promise<void> | undefined = () => undefined) =>
      tail.follow(2, leaving.signal, (taken) => {
        seen.push(...taken.map(({ seq }) => [name, seq] as const));
        return answer();
      });
    let drain = (): void => undefined;
    const slow = reader('slow', () => new Promise((resolve) => (drain = resolve)));
    const broken = reader('broken', () => {
      throw new Error('broken');
    });
    const quick = reader('quick');
    tail.push(events(2, 3));
    tail.push(events(4, 4));
    expect(seen).toEqual([
      ['slow', 3],
      ['broken', 3],
      ['quick', 3],
      ['quick', 4],
    ]);
    await expect(broken).rejects.toThrow('broken');
    drain();
    expect(await slow).toBe(3);
    leaving.abort();
    expect(await quick).toBe(4);
  });

  it('gives the same events however the events arrive and however often one reads', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(30), fc.nat(10)), { maxLength: 40 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        (pieces, reads) => {
          const tail = new Tail('run');
          let seen = 0;
          const read: LoggedEvent[] = [];
          pieces.forEach(([from, count], n) => {
            tail.push(events(from + 1, from + count));
            if (reads[n] !== true) return;
            read.push(...(tail.since(seen) ?? []));
            seen = read.at(-1)?.seq ?? seen;
          });
          expect(read).toEqual(events(1, seen));
        },
      ),
    );
  });
});
