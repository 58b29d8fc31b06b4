import { DeltaGatherer } from './run';

describe('DeltaGatherer', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('joins what comes within 50 ms', () => {
    const given: string[] = [];
    const deltas = new DeltaGatherer((text) => given.push(text));
    for (const piece of ['Hel', '', 'lo ', 'World']) {
      deltas.add(piece);
      jest.advanceTimersByTime(10);
    }
    expect(given).toEqual([]);
    jest.advanceTimersByTime(10);
    expect(given).toEqual(['Hello World']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives at once what has become long, so that the pieces are few', () => {
    const given: string[] = [];
    const deltas = new DeltaGatherer((text) => given.push(text));
    for (let n = 0; n < 5_000; n++) deltas.add('word ');
    deltas.flush();
    expect(given.join('')).toBe('word '.repeat(5_000));
    expect(given.length).toBeLessThanOrEqual(25);
    deltas.flush();
    expect(jest.getTimerCount()).toBe(0);
  });
});
