import { Module } from '@nestjs/common';
import { OutboundModule } from '../platform/outbound';
import { FoundingService } from './founding.service';
import { MemberArrivals } from './member-arrivals';
import { MemberArrivalsRepository } from './member-arrivals.repository';
import { MemberRepository } from './member.repository';
import { MembersController } from './members.controller';
import { MembersService } from './members.service';
import { OrganizationArrivals } from './organization-arrivals';
import { OrganizationChanges } from './organization-changes';
import { OrganizationRepository } from './organization.repository';
import { OrganizationsController } from './organizations.controller';
import { OrganizationsService } from './organizations.service';
import { SettingsService } from './settings.service';
import { StandingService } from './standing.service';

@Module({
  imports: [OutboundModule],
  // Members first: `/{slug}/members` must not be taken for a part of the settings.
  controllers: [MembersController, OrganizationsController],
  providers: [
    OrganizationRepository,
    MemberRepository,
    OrganizationChanges,
    OrganizationsService,
    SettingsService,
    MembersService,
    FoundingService,
    StandingService,
    MemberArrivalsRepository,
    MemberArrivals,
    OrganizationArrivals,
  ],
  exports: [
    OrganizationChanges,
    OrganizationsService,
    SettingsService,
    MembersService,
    FoundingService,
    StandingService,
    MemberArrivals,
    OrganizationArrivals,
  ],
})
export class OrganizationsModule {}
