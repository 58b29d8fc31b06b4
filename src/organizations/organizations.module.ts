import { Module } from '@nestjs/common';
import { MailModule } from '../infrastructure/mail';
import { OutboundModule } from '../infrastructure/outbound';
import { SignalsModule } from '../infrastructure/signals';
import { ConnectionHealthRepository } from './connections/connection-health.repository';
import { ConnectionHealth } from './connections/connection-health.service';
import { GroupMemberRepository } from './groups/group-member.repository';
import { GroupMembersController } from './groups/group-members.controller';
import { GroupMembersService } from './groups/group-members.service';
import { GroupMemberships } from './groups/group-memberships.service';
import { GroupProvisioning } from './groups/group-provisioning.service';
import { GroupRepository } from './groups/group.repository';
import { GroupsController } from './groups/groups.controller';
import { GroupsService } from './groups/groups.service';
import { DirectoryGroups } from './groups/directory-groups.service';
import { FoundingService } from './organization/founding.service';
import { MemberImport } from './members/member-import.repository';
import { MemberChecklists } from './members/member-checklists.service';
import { MemberInvitations } from './members/member-invitations.service';
import { MemberProvisioning } from './members/member-provisioning.service';
import { MemberRepository } from './storage/member.repository';
import { MembersController } from './members/members.controller';
import { MembersService } from './members/members.service';
import { PeopleNames } from './members/people-names.service';
import { OrganizationImport } from './organization/organization-import';
import { OrganizationChanges } from './organization/organization-changes';
import { OrganizationRepository } from './storage/organization.repository';
import { OrganizationsController } from './organization/organizations.controller';
import { OrganizationEndings } from './organization/organization-endings.service';
import { OrganizationsService } from './organization/organizations.service';
import { SettingsChecks } from './settings/settings-checks.service';
import { SettingsService } from './organization/settings.service';
import { PersonPseudonyms } from './pseudonyms/person-pseudonyms.service';
import { VendorPseudonyms } from './pseudonyms/vendor-pseudonyms.service';
import { StandingService } from './organization/standing.service';

@Module({
  imports: [MailModule, OutboundModule, SignalsModule],
  controllers: [MembersController, GroupMembersController, GroupsController, OrganizationsController],
  providers: [
    OrganizationRepository,
    MemberRepository,
    OrganizationChanges,
    OrganizationsService,
    SettingsChecks,
    SettingsService,
    MembersService,
    FoundingService,
    StandingService,
    OrganizationEndings,
    MemberImport,
    MemberChecklists,
    MemberInvitations,
    MemberProvisioning,
    OrganizationImport,
    VendorPseudonyms,
    GroupRepository,
    GroupMemberRepository,
    GroupMemberships,
    GroupMembersService,
    GroupProvisioning,
    DirectoryGroups,
    GroupsService,
    PeopleNames,
    ConnectionHealthRepository,
    ConnectionHealth,
    PersonPseudonyms,
  ],
  exports: [
    ConnectionHealth,
    SettingsChecks,
    PeopleNames,
    PersonPseudonyms,
    DirectoryGroups,
    GroupMemberships,
    GroupProvisioning,
    GroupsService,
    OrganizationChanges,
    OrganizationsService,
    SettingsService,
    MembersService,
    FoundingService,
    StandingService,
    OrganizationEndings,
    MemberImport,
    MemberChecklists,
    MemberInvitations,
    MemberProvisioning,
    OrganizationImport,
    VendorPseudonyms,
  ],
})
export class OrganizationsModule {}
