import fc from 'fast-check';
import { FairQueue, type Waiting } from './fair-queue';

const NOBODY = (): number => 0;

/** Keys of the next `count` items, of which each leaves its place before the next one is chosen. */
const served = (queue: FairQueue<string>, count: number): string[] =>
  Array.from({ length: count }, () => queue.shift(NOBODY) ?? '');

const filled = (weights: Readonly<Record<string, number>>, each: number): FairQueue<string> => {
  const queue = new FairQueue<string>();
  for (const [key, weight] of Object.entries(weights)) for (let n = 0; n < each; n++) queue.push(key, weight, key);
  return queue;
};

const weightsOf = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 1, max: 5 }), { minKeys: 1 });

describe('FairQueue', () => {
  it('serves keys that always wait in the ratio of their weights', () => {
    fc.assert(
      fc.property(weightsOf, (weights) => {
        const rounds = 20;
        const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
        const turns = served(filled(weights, rounds * total), rounds * total);
        for (const [key, weight] of Object.entries(weights)) {
          const got = turns.filter((turn) => turn === key).length;
          expect(Math.abs(got - rounds * weight)).toBeLessThanOrEqual(weight + 1);
        }
      }),
    );
  });

  it('gives places that are held for long in the ratio of the weights, too', () => {
    const queue = filled({ a: 1, b: 3 }, 100);
    const held = new Map([
      ['a', 0],
      ['b', 0],
    ]);
    for (let n = 0; n < 40; n++) {
      const key = queue.shift((each) => held.get(each) ?? 0) ?? '';
      held.set(key, (held.get(key) ?? 0) + 1);
    }
    expect(Object.fromEntries(held)).toEqual({ a: 10, b: 30 });
  });

  it('gives the next place to a key that comes when another one holds all and many of it wait', () => {
    const queue = filled({ course: 1 }, 500);
    queue.push('other', 1, 'other');
    expect(queue.shift((key) => (key === 'course' ? 100 : 0))).toBe('other');
  });

  it('starves nobody, however often others come back', () => {
    const queue = filled({ patient: 1 }, 50);
    const turns: string[] = [];
    for (let n = 0; n < 60; n++) {
      for (const key of ['eager', 'keen']) if (queue.sizeOf(key) === 0) queue.push(key, 1, key);
      turns.push(...served(queue, 1));
    }
    expect(turns.filter((turn) => turn === 'patient').length).toBeGreaterThanOrEqual(19);
  });

  it('serves every item once, those of a key in order of arrival, whoever leaves in between', () => {
    const step = fc.record({
      act: fc.constantFrom('push', 'push', 'shift', 'leave'),
      key: fc.constantFrom('a', 'b', 'c'),
      at: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new FairQueue<Waiting<number>['item']>();
        let waiting: { key: string; item: number; entry: Waiting<number> }[] = [];
        steps.forEach(({ act, key, at }, item) => {
          if (act === 'push') waiting.push({ key, item, entry: queue.push(key, 1 + (at % 3), item) });
          else if (act === 'leave' && waiting.length > 0) {
            const [left] = waiting.splice(at % waiting.length, 1);
            expect([left && queue.remove(left.entry), left && queue.remove(left.entry)]).toEqual([true, false]);
          } else if (act === 'shift') {
            const next = queue.shift((each) => each.charCodeAt(0) % 2);
            const found = waiting.find((each) => each.item === next);
            expect(found === undefined).toBe(waiting.length === 0);
            expect(found).toBe(waiting.find((each) => each.key === found?.key));
            waiting = waiting.filter((each) => each !== found);
          }
          expect(queue.size).toBe(waiting.length);
          expect(queue.sizeOf(key)).toBe(waiting.filter((each) => each.key === key).length);
        });
      }),
    );
  });

  it('names the newest item of the longest queue, where a newcomer has fewer for its weight', () => {
    const queue = new FairQueue<number>();
    for (let n = 0; n < 4; n++) queue.push('long', 1, n);
    queue.push('short', 1, 10);
    expect(queue.pushedOutBy('short', 1)).toMatchObject({ key: 'long', item: 3 });
    expect(queue.pushedOutBy('new', 0.1)).toBeNull();
    expect(queue.pushedOutBy('long', 1)).toBeNull();
    expect(queue.shareOf('new', 2)).toBe(0.5);
  });
});
