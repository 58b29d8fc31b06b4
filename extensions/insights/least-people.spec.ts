import { countOf, LEAST_PEOPLE, toldParts } from './mask-people';

const people = (count: number, from = 0): string[] => Array.from({ length: count }, (_, at) => `person ${from + at}`);

describe('a figure about people', () => {
  it.each([
    ['nobody', 0, 0],
    ['one person', 1, null],
    ['four people', 4, null],
    ['five people', 5, 5],
  ])('of %s', (_, count, told) => {
    expect(LEAST_PEOPLE).toBe(5);
    expect(countOf(people(count)).told).toBe(told);
  });

  it('counts people, not questions', () => {
    expect(countOf([...people(4), ...people(4)]).told).toBeNull();
    expect(countOf([...people(5), ...people(5)]).told).toBe(10);
  });
});

describe('the parts of a sum that is told', () => {
  it('are all told when each is of enough people or of nobody', () => {
    expect(toldParts([countOf(people(6)), countOf([]), countOf(people(5))])).toEqual([6, 0, 5]);
  });

  it('hide a second part, or the sum would tell the first one', () => {
    expect(toldParts([countOf(people(9)), countOf(people(1)), countOf(people(6)), countOf([])])).toEqual([
      9,
      null,
      null,
      0,
    ]);
  });

  it('hide no further part when the hidden ones are of enough people together', () => {
    expect(toldParts([countOf(people(9)), countOf(people(3)), countOf(people(3, 3))])).toEqual([9, null, null]);
  });

  it('hide further parts while the same few people are behind the hidden ones', () => {
    expect(toldParts([countOf(people(9)), countOf(people(3)), countOf(people(3)), countOf(people(7))])).toEqual([
      9,
      null,
      null,
      null,
    ]);
  });
});
