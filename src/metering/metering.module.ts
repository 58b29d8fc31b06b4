import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { Metering } from './metering.service';
import { PriceLists } from './prices/price-lists';
import { LimitWarnings } from './reservations/limit-warnings';
import { ReservationKeeper } from './reservations/reservation-keeper';
import { ReservationRepository } from './reservations/reservation.repository';
import { Reservations } from './reservations/reservations.service';
import { LimitStandingsRepository } from './standings/limit-standings.repository';
import { LimitStandings } from './standings/limit-standings.service';
import { ModelMetrics } from './run/model.metrics';
import { StorageLimits } from './storage/storage-limits.service';
import { StorageLocks } from './storage/storage-locks.repository';
import { UsageBuffer } from './usage/usage-buffer';
import { UsageRepository } from './usage/usage.repository';

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
