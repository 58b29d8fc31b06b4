export { IdempotencyModule } from './idempotency.module';
export { Idempotent, type IdempotentOptions } from './idempotent.decorator';
