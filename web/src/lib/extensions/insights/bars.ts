import type { Bar } from './insights.types';

/** Share of the tallest bar in percent. A bar that is not told of has a height that says nothing. */
const UNTOLD = 12;

export function heightsOf(bars: readonly Bar[]): readonly number[] {
  const most = Math.max(1, ...bars.map(({ questions }) => questions ?? 0));
  return bars.map(({ questions }) => (questions === null ? UNTOLD : (questions / most) * 100));
}

/** Positions of the bars that carry a label, about as many as fit on a phone. The first and the last are among them. */
export function labelled(length: number, most = 5): readonly number[] {
  if (length <= most) return Array.from({ length }, (_, at) => at);
  return Array.from({ length: most }, (_, at) => Math.round((at * (length - 1)) / (most - 1)));
}
