import fc from 'fast-check';
import { type Asker, periodStart } from './mask-people';

const askersOf = (people: readonly string[]): Asker[] =>
  people.map((userId, time) => ({ runId: `run ${time}`, userId, time }));

const startOf = (people: string, first: number): string | null =>
  periodStart(askersOf([...people]), (time) => time >= first);

describe('the first question of a period', () => {
  it.each([
    ['the oldest one', 'abcdeabcde', 0, 'run 0'],
    ['the next block of five people', 'abcdeabcde', 1, 'run 5'],
    ['not one inside a block, however long it is', 'aaaabbbbcdeabcde', 5, 'run 11'],
    ['one of a block that still grows', 'abcdefg', 5, 'run 5'],
    ['none inside it', 'abcdefg', 6, null],
  ])('is %s', (_, people, first, start) => {
    expect(startOf(people, first)).toBe(start);
  });

  it('leaves no difference between two periods that is of one to four people', () => {
    const people = fc.array(fc.constantFrom(...'abcdefgh'), { minLength: 20, maxLength: 60 });
    const day = fc.nat({ max: 60 });
    fc.assert(
      fc.property(people, day, day, (asked, one, other) => {
        const askers = askersOf(asked);
        const from = (first: number): Asker[] => {
          const start = periodStart(askers, (time) => time >= first);
          return start === null ? [] : askers.slice(askers.findIndex(({ runId }) => runId === start));
        };
        const [longer, shorter] = [from(Math.min(one, other)), from(Math.max(one, other))];
        const peopleIn = (part: readonly Asker[]) => new Set(part.map(({ userId }) => userId)).size;
        const more = peopleIn(longer.slice(0, longer.length - shorter.length));
        // Nothing is told about a period of too few people.
        const isTold = peopleIn(longer) >= 5;
        expect(!isTold || more === 0 || more >= 5).toBe(true);
      }),
    );
  });
});
