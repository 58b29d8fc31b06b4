import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { LeaseRepository } from './lease.repository';
import { LimitLeases } from './limit-leases.service';
import { Metering } from './metering.service';
import { ModelMetrics } from './model.metrics';
import { PriceLists } from './price-lists';
import { QuotaUsageRepository, StorageLocks } from './quota-usage.repository';
import { QuotaUsageService, StorageLimits } from './quota-usage.service';
import { UsageBuffer, UsageRepository } from './usage.repository';

@Module({
  imports: [OrganizationsModule],
  providers: [
    QuotaUsageService,
    QuotaUsageRepository,
    Metering,
    ModelMetrics,
    PriceLists,
    LeaseRepository,
    LimitLeases,
    StorageLimits,
    StorageLocks,
    UsageBuffer,
    UsageRepository,
  ],
  exports: [QuotaUsageService, Metering, PriceLists, StorageLimits, UsageBuffer],
})
export class MeteringModule {}
