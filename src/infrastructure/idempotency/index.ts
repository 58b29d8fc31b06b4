export { Idempotent } from './idempotency.interceptor';
export { IdempotencyModule } from './idempotency.module';
