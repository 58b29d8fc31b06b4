export { type Format, FORMATS } from './exposition';
export type { Counter, Histogram } from './instruments';
export { counter, DURATIONS, gauge, histogram, type MetricDefinition } from './metric.types';
export { type Family, MetricRegistry } from './metric-registry';
export { MetricsModule } from './metrics.module';
