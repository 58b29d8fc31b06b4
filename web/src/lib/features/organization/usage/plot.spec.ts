import { describe, expect, it } from 'vitest';
import { barsOf, layersOf, type PlotDay, ticksOf } from './plot';

const share = (key: string, value: number) => ({ key, label: key.toUpperCase(), value });
const day = (n: number, ...shares: PlotDay['shares']): PlotDay => ({
  day: new Date(Date.UTC(2026, 0, n)).toISOString().slice(0, 10),
  shares,
});

describe('layersOf', () => {
  it('sorts by total and leaves out shares of zero', () => {
    const days = [day(1, share('a', 1), share('b', 5)), day(2, share('a', 2), share('c', 0))];
    expect(layersOf(days)).toEqual([
      { key: 'b', label: 'B', total: 5 },
      { key: 'a', label: 'A', total: 3 },
    ]);
  });

  it('puts the smaller ones into one layer when there are more than six', () => {
    const shares = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key, at) => share(key, 10 - at));
    const layers = layersOf([day(1, ...shares)]);
    expect(layers.map(({ label }) => label)).toEqual(['A', 'B', 'C', 'D', 'E', null]);
    expect(layers.at(-1)?.total).toBe(5 + 4);
    const [bar] = barsOf([day(1, ...shares)], layers);
    expect(bar).toMatchObject({ total: 49, values: [10, 9, 8, 7, 6, 9] });
  });
});

describe('barsOf', () => {
  it('has a bar for each day, the empty ones too', () => {
    const days = [day(1, share('a', 1)), day(2)];
    expect(barsOf(days, layersOf(days)).map(({ total }) => total)).toEqual([1, 0]);
  });

  it('has a bar for each week of a long period, and loses nothing', () => {
    const days = Array.from({ length: 100 }, (_, at) => day(at + 1, share('a', 1)));
    const bars = barsOf(days, layersOf(days));
    expect(bars).toHaveLength(15);
    expect(bars[0]).toMatchObject({ day: '2026-01-01', last: '2026-01-07', total: 7 });
    expect(bars.at(-1)).toMatchObject({ last: '2026-04-10', total: 2 });
  });
});

describe('ticksOf', () => {
  it.each([
    [0, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [7, [0, 2, 4, 6, 8]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [1_900_000, [0, 500_000, 1_000_000, 1_500_000, 2_000_000]],
  ])('reaches over %d', (highest, ticks) => {
    const found = ticksOf(highest);
    expect(found).toHaveLength(ticks.length);
    found.forEach((tick, at) => expect(tick).toBeCloseTo(ticks[at] ?? Number.NaN));
  });
});
