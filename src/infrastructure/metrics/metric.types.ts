/** Declaration of one metric. Names follow OpenMetrics: they end with their unit; a counter's `_total` is added. */
export interface MetricDefinition<Labels extends readonly string[] = readonly string[]> {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  /** At most four. */
  readonly labels: Labels;
  /** Upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
}

export interface CounterDefinition<Labels extends readonly string[]> extends MetricDefinition<Labels> {
  readonly type: 'counter';
}
export interface GaugeDefinition<Labels extends readonly string[]> extends MetricDefinition<Labels> {
  readonly type: 'gauge';
}
export interface HistogramDefinition<Labels extends readonly string[]> extends MetricDefinition<Labels> {
  readonly type: 'histogram';
  readonly buckets: readonly number[];
}

type Declared<Labels> = { readonly name: string; readonly help: string; readonly labels: Labels };

export const counter = <const Labels extends readonly string[]>(
  declared: Declared<Labels>,
): CounterDefinition<Labels> => ({ type: 'counter', ...declared });

export const gauge = <const Labels extends readonly string[]>(declared: Declared<Labels>): GaugeDefinition<Labels> => ({
  type: 'gauge',
  ...declared,
});

export const histogram = <const Labels extends readonly string[]>(
  declared: Declared<Labels> & { readonly buckets: readonly number[] },
): HistogramDefinition<Labels> => ({ type: 'histogram', ...declared });

/** Seconds of requests and calls, from a cached answer to a long stream. */
export const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] as const;

/** Values in the order of the labels. */
export type LabelValues<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };
