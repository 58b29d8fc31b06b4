import type { Counter, Histogram } from './instruments';
import type { MetricDefinition } from './metric.types';
import type { OneSeries } from './series';

export const FORMATS = {
  /** Prometheus text format 0.0.4. */
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  /** OpenMetrics 1.0. */
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const;
export type Format = keyof typeof FORMATS;

export type GaugeValue = readonly [values: readonly string[], value: number];

/** OpenMetrics names a unit only where the metric's name ends with it. */
const UNITS = ['seconds', 'bytes', 'ratio'] as const;

/** The lines of one metric; empty without a value. */
export class MetricLines {
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
