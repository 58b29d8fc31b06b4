export {
  type Counter,
  DURATIONS,
  FORMATS,
  type Family,
  type Format,
  type Histogram,
  type MetricDefinition,
  MetricRegistry,
  counter,
  gauge,
  histogram,
} from './metric-registry';
export { MetricsModule } from './metrics.module';
