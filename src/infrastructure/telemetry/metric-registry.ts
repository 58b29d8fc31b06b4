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

interface CounterDefinition<Labels extends readonly string[]> extends MetricDefinition<Labels> {
  readonly type: 'counter';
}
interface GaugeDefinition<Labels extends readonly string[]> extends MetricDefinition<Labels> {
  readonly type: 'gauge';
}
interface HistogramDefinition<Labels extends readonly string[]> extends MetricDefinition<Labels> {
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
type LabelValues<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };

/** Stands for the values of all further combinations of labels. */
const OVERFLOW = 'other';

type Level<T> = Map<string, T>;

interface OneSeries<T> {
  readonly values: readonly string[];
  readonly instrument: T;
}

/** One instrument for each combination of label values, up to a number. Looking one up allocates nothing. */
class Series<T> {
  readonly all: OneSeries<T>[] = [];
  private readonly root: Level<Level<Level<Level<T>>>> = new Map();

  constructor(
    private readonly depth: number,
    private readonly most: number,
    private readonly make: () => T,
  ) {}

  readonly at = (a = '', b = '', c = '', d = ''): T =>
    this.root.get(a)?.get(b)?.get(c)?.get(d) ?? this.add([a, b, c, d]);

  private add(values: readonly string[]): T {
    const shown = this.all.length < this.most ? values.slice(0, this.depth) : OVERFLOWS.slice(0, this.depth);
    const [a = '', b = '', c = '', d = ''] = shown;
    const known = this.root.get(a)?.get(b)?.get(c)?.get(d);
    if (known !== undefined) return known;
    const instrument = this.make();
    const inA: Level<Level<Level<T>>> = levelIn(this.root, a);
    const inB: Level<Level<T>> = levelIn(inA, b);
    const inC: Level<T> = levelIn(inB, c);
    inC.set(d, instrument);
    this.all.push({ values: shown, instrument });
    return instrument;
  }
}

const OVERFLOWS = [OVERFLOW, OVERFLOW, OVERFLOW, OVERFLOW];

function levelIn<T>(level: Level<Level<T>>, key: string): Level<T> {
  const known = level.get(key);
  if (known !== undefined) return known;
  const made: Level<T> = new Map<string, T>();
  level.set(key, made);
  return made;
}

/** A number that only grows. */
export class Counter {
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }
}

/** Counts values by bucket. An observation allocates nothing. */
export class Histogram {
  /** Not cumulative; the last one has no upper bound. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    if (!(value >= 0)) return;
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += value;
  }
}

export const FORMATS = {
  /** Prometheus text format 0.0.4. */
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  /** OpenMetrics 1.0. */
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const;
export type Format = keyof typeof FORMATS;

type GaugeValue = readonly [values: readonly string[], value: number];

/** OpenMetrics names a unit only where the metric's name ends with it. */
const UNITS = ['seconds', 'bytes', 'ratio'] as const;

/** The lines of one metric; empty without a value. */
class MetricLines {
  private readonly lines: string[] = [];

  constructor(
    private readonly definition: MetricDefinition,
    format: Format,
  ) {
    const { name, type, help } = definition;
    const family = type === 'counter' && format === 'prometheus' ? `${name}_total` : name;
    const unit = format === 'openmetrics' ? UNITS.find((each) => name.endsWith(`_${each}`)) : undefined;
    this.lines.push(`# HELP ${family} ${escaped(help)}`, `# TYPE ${family} ${type}`);
    if (unit !== undefined) this.lines.push(`# UNIT ${family} ${unit}`);
  }

  counters(series: readonly OneSeries<Counter>[]): string {
    for (const { values, instrument } of series) this.sample('_total', values, instrument.value);
    return this.text;
  }

  gauges(values: Iterable<GaugeValue>): string {
    for (const [labels, value] of values) if (Number.isFinite(value)) this.sample('', labels, value);
    return this.text;
  }

  histograms(series: readonly OneSeries<Histogram>[]): string {
    for (const { values, instrument } of series) {
      const { bounds, counts, sum } = instrument;
      let below = 0;
      for (const [bucket, count] of counts.entries()) {
        below += count;
        this.sample('_bucket', values, below, `le="${boundText(bounds[bucket])}"`);
      }
      this.sample('_sum', values, sum);
      this.sample('_count', values, below);
    }
    return this.text;
  }

  private get text(): string {
    return `${this.lines.join('\n')}\n`;
  }

  private sample(suffix: string, values: readonly string[], value: number, more?: string): void {
    const labels = this.definition.labels.map((label, index) => `${label}="${escaped(values[index] ?? '')}"`);
    if (more !== undefined) labels.push(more);
    const shown = labels.length === 0 ? '' : `{${labels.join(',')}}`;
    this.lines.push(`${this.definition.name}${suffix}${shown} ${value}`);
  }
}

/** The same text in both formats, so that a series keeps its name when a scraper changes the format. */
function boundText(bound: number | undefined): string {
  if (bound === undefined) return '+Inf';
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

const escaped = (text: string): string => text.replace(/["\\\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));

/** The instruments of one metric, by the values of its labels. */
export interface Family<Labels extends readonly string[], Instrument> {
  readonly at: (...values: LabelValues<Labels>) => Instrument;
}

export type Gauges<Labels extends readonly string[]> = () => Iterable<
  readonly [values: LabelValues<Labels>, value: number]
>;

/** Series of one metric. Further ones count together as `other`. */
const MOST_SERIES = 1_000;

/**
 * All metrics of one process. While nobody may read them, instruments exist and are never read: what is measured costs
 * an addition.
 */
export class MetricRegistry {
  private readonly metrics = new Map<string, (format: Format) => string>();
  private readonly refreshers: (() => Promise<void>)[] = [];

  constructor(readonly isRead = true) {}

  counter<Labels extends readonly string[]>(
    definition: CounterDefinition<Labels>,
    most = MOST_SERIES,
  ): Family<Labels, Counter> {
    return this.family(
      definition,
      most,
      () => new Counter(),
      (lines, { all }) => lines.counters(all),
    );
  }

  histogram<Labels extends readonly string[]>(
    definition: HistogramDefinition<Labels>,
    most = MOST_SERIES,
  ): Family<Labels, Histogram> {
    const make = (): Histogram => new Histogram(definition.buckets);
    return this.family(definition, most, make, (lines, { all }) => lines.histograms(all));
  }

  /** `read` is asked at each scrape. */
  gauge<Labels extends readonly string[]>(definition: GaugeDefinition<Labels>, read: Gauges<Labels>): void {
    if (!this.isRead) return;
    this.add(definition, (format) => new MetricLines(definition, format).gauges(read() as Iterable<GaugeValue>));
  }

  /** Awaited before each scrape, for values that cannot be read at once. It must not reject. */
  beforeScrape(refresh: () => Promise<void>): void {
    this.refreshers.push(refresh);
  }

  async scrape(format: Format): Promise<string> {
    await Promise.all(this.refreshers.map((refresh) => refresh()));
    const text = [...this.metrics.values()].map((write) => write(format)).join('');
    return format === 'openmetrics' ? `${text}# EOF\n` : text;
  }

  private family<Labels extends readonly string[], Instrument>(
    definition: MetricDefinition<Labels>,
    most: number,
    make: () => Instrument,
    write: (lines: MetricLines, series: Series<Instrument>) => string,
  ): Family<Labels, Instrument> {
    if (!this.isRead) {
      const unread = make();
      return { at: () => unread };
    }
    const series = new Series(definition.labels.length, most, make);
    // Metrics without labels are there from the beginning, as zero.
    if (definition.labels.length === 0) series.at();
    this.add(definition, (format) => write(new MetricLines(definition, format), series));
    // At most four labels, and `at` takes as many.
    return series as unknown as Family<Labels, Instrument>;
  }

  private add({ name }: MetricDefinition, write: (format: Format) => string): void {
    if (this.metrics.has(name)) throw new Error(`The metric ${name} is declared twice`);
    this.metrics.set(name, write);
  }
}
