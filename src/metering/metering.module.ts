import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { Metering } from './metering.service';
import { PriceLists } from './price-lists';
import { ReservationRepository } from './reservation.repository';
import { LimitWarnings, ReservationKeeper, Reservations } from './reservations.service';
import { ModelMetrics } from './model.metrics';
import { LimitStandingsRepository } from './limit-standings.repository';
import { LimitStandings } from './limit-standings.service';
import { StorageLimits } from './storage-limits.service';
import { StorageLocks } from './storage-locks.repository';
import { UsageBuffer, UsageRepository } from './usage.repository';

@Module({
  imports: [OrganizationsModule],
  providers: [
    LimitStandings,
    LimitStandingsRepository,
    LimitWarnings,
    Metering,
    ModelMetrics,
    PriceLists,
    ReservationKeeper,
    ReservationRepository,
    Reservations,
    StorageLimits,
    StorageLocks,
    UsageBuffer,
    UsageRepository,
  ],
  exports: [LimitStandings, Metering, PriceLists, StorageLimits, UsageBuffer],
})
export class MeteringModule {}
