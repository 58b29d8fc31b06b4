import { Module } from '@nestjs/common';
import { OutboundModule } from '../platform/outbound';
import { SignalsModule } from '../platform/signals';
import { FoundingService } from './founding.service';
import { MemberImport } from './member-import.repository';
import { MemberRepository } from './member.repository';
import { MembersController } from './members.controller';
import { MembersService } from './members.service';
import { OrganizationImport } from './organization-import';
import { OrganizationChanges } from './organization-changes';
import { OrganizationRepository } from './organization.repository';
import { OrganizationsController } from './organizations.controller';
import { OrganizationsService } from './organizations.service';
import { SettingsService } from './settings.service';
import { StandingService } from './standing.service';

@Module({
  imports: [OutboundModule, SignalsModule],
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
    MemberImport,
    OrganizationImport,
  ],
  exports: [
    OrganizationChanges,
    OrganizationsService,
    SettingsService,
    MembersService,
    FoundingService,
    StandingService,
    MemberImport,
    OrganizationImport,
  ],
})
export class OrganizationsModule {}
