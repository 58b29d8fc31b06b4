export const MEASURES = ['cost', 'tokens', 'runs'] as const;
export type Measure = (typeof MEASURES)[number];

/** A share of one day, of one model or assistant. */
export interface Share {
  readonly key: string;
  readonly label: string;
  readonly value: number;
}
export interface PlotDay {
  readonly day: string;
  readonly shares: readonly Share[];
}

/** One layer of the stacked bars. */
export interface Layer {
  readonly key: string;
  /** Null for the shares that have no layer of their own. */
  readonly label: string | null;
  readonly total: number;
}

/** One bar: a day, or several days from `day` to `last`. */
export interface Bar {
  readonly day: string;
  readonly last: string;
  readonly total: number;
  /** One per layer, from the bottom up; zero where the layer has nothing. */
  readonly values: readonly number[];
}

/** More would not be told apart. */
const MOST_LAYERS = 5;
const REST = '';
/** Bars that are wide enough on a phone. */
const MOST_BARS = 92;
const WEEK = 7;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The largest first; the smaller ones share the last layer. */
export function layersOf(days: readonly PlotDay[]): readonly Layer[] {
  const layers = new Map<string, { key: string; label: string; total: number }>();
  for (const { shares } of days)
    for (const { key, label, value } of shares) {
      const layer = layers.get(key);
      if (layer === undefined) layers.set(key, { key, label, total: value });
      else layer.total += value;
    }
  const sorted = [...layers.values()].filter(({ total }) => total > 0).sort((one, other) => other.total - one.total);
  if (sorted.length <= MOST_LAYERS + 1) return sorted;
  const rest = sum(sorted.slice(MOST_LAYERS).map(({ total }) => total));
  return [...sorted.slice(0, MOST_LAYERS), { key: REST, label: null, total: rest }];
}

/** A bar for each day, or for each week of a long period. */
export function barsOf(days: readonly PlotDay[], layers: readonly Layer[]): readonly Bar[] {
  const size = days.length > MOST_BARS ? WEEK : 1;
  const bars: Bar[] = [];
  for (let start = 0; start < days.length; start += size) bars.push(barOf(days.slice(start, start + size), layers));
  return bars;
}

function barOf(days: readonly PlotDay[], layers: readonly Layer[]): Bar {
  const index = new Map(layers.map(({ key }, at) => [key, at]));
  const rest = index.get(REST) ?? -1;
  const values = layers.map(() => 0);
  for (const { shares } of days)
    for (const { key, value } of shares) {
      const at = index.get(key) ?? rest;
      if (at >= 0) values[at] = (values[at] ?? 0) + value;
    }
  return { day: days[0]?.day ?? '', last: days.at(-1)?.day ?? '', total: sum(values), values };
}

const STEPS = [1, 2, 5, 10];
const WANTED_TICKS = 4;

/** Round values from zero to the first one that is not below `highest`. */
export function ticksOf(highest: number): readonly number[] {
  if (highest <= 0) return [0, 1];
  const rough = highest / WANTED_TICKS;
  const scale = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((factor) => factor * scale >= rough) ?? 10) * scale;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}
