import { type Format, type GaugeValue, MetricLines } from './exposition';
import { Counter, Histogram } from './instruments';
import type {
  CounterDefinition,
  GaugeDefinition,
  HistogramDefinition,
  LabelValues,
  MetricDefinition,
} from './metric.types';
import { Series } from './series';

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
