export { BufferedCounters, type CounterStore } from './buffered-counters';
export { type ModuleLevels, StructuredLogger, createPino, moduleLogger } from './logger';
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
export { type RequestObserver, loggedPath, requestLog } from './request-log';
export { RequestSpans, Tracer } from './tracer';
export { TracingModule } from './tracing.module';
