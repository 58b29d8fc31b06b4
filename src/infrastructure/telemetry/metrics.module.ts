import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config';
import { MetricRegistry } from './metric-registry';
import { ProcessStatistics } from './process.metrics';

/** Metrics are counted where `METRICS_PORT` or `METRICS_TOKEN` lets somebody read them. */
@Global()
@Module({
  providers: [
    {
      provide: MetricRegistry,
      inject: [CONFIG],
      useFactory: ({ metrics }: Config) => new MetricRegistry(metrics.port !== null || metrics.token !== null),
    },
    ProcessStatistics,
  ],
  exports: [MetricRegistry],
})
export class MetricsModule {}
