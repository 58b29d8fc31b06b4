export { HealthModule } from './health.module';
export { Lifecycle } from './lifecycle.service';
