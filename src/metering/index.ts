export { LimitReached, type RateLimit } from './applied-rules';
export { MeteringModule } from './metering.module';
export { type MeteredRun, Metering } from './metering.service';
export { type ModelCall, type ModelOperation, expectedTokens, promptTokens, tokensOfChars } from './model-call';
export { providerLabel } from './model.metrics';
export { PriceList, PriceLists } from './price-lists';
export { type QuotaUsage, QuotaUsageService, type StorageCheck, StorageLimits } from './quota-usage.service';
export type { RunMeter } from './run-meter';
export { UsageBuffer, type UsageRow } from './usage.repository';
