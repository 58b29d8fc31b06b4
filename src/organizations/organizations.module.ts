import { Module } from '@nestjs/common';
import { OutboundModule } from '../platform/outbound';
import { SignalsModule } from '../platform/signals';
import { FoundingService } from './organization/founding.service';
import { MemberImport } from './members/member-import.repository';
import { MemberProvisioning } from './members/member-provisioning.service';
import { MemberRepository } from './storage/member.repository';
import { MembersController } from './members/members.controller';
import { MembersService } from './members/members.service';
import { OrganizationImport } from './organization/organization-import';
import { OrganizationChanges } from './organization/organization-changes';
import { OrganizationRepository } from './storage/organization.repository';
import { OrganizationsController } from './organization/organizations.controller';
import { OrganizationsService } from './organization/organizations.service';
import { SettingsService } from './organization/settings.service';
import { StandingService } from './organization/standing.service';

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
    MemberProvisioning,
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
    MemberProvisioning,
    OrganizationImport,
  ],
})
export class OrganizationsModule {}
