export { HealthModule } from './health.module';
export { Lifecycle } from './lifecycle.service';
export { MetricsServer } from './metrics-server';
