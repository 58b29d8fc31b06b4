import { Module } from '@nestjs/common';
import { MailModule } from '../infrastructure/mail';
import { OutboundModule } from '../infrastructure/outbound';
import { SignalsModule } from '../infrastructure/signals';
import { ConnectionHealthRepository } from './connection-health.repository';
import { ConnectionHealth } from './connection-health.service';
import { DirectoryGroups } from './groups/directory-groups.service';
import { GroupMemberRepository } from './groups/group-member.repository';
import { GroupMembersController } from './groups/group-members.controller';
import { GroupMembersService } from './groups/group-members.service';
import { GroupRepository } from './groups/group.repository';
import { GroupsController } from './groups/groups.controller';
import { GroupMemberships, GroupProvisioning, GroupsService } from './groups/groups.service';
import { MemberRepository } from './member.repository';
import { MemberImport } from './members/member-import.repository';
import {
  MemberChecklists,
  MemberInvitations,
  MemberProvisioning,
  UserNames,
} from './members/member-provisioning.service';
import { MembersController } from './members/members.controller';
import { MembersService } from './members/members.service';
import { OrganizationRepository } from './organization.repository';
import { FoundingService } from './organization/founding.service';
import { OrganizationEndings } from './organization/organization-endings.service';
import { OrganizationImport } from './organization/organization-import';
import { OrganizationPartsController } from './organization/organization-parts.controller';
import { OrganizationStatusService } from './organization/organization-status.service';
import { OrganizationsController } from './organization/organizations.controller';
import { OrganizationsService } from './organization/organizations.service';
import { OrganizationChanges, SettingsService } from './organization/settings.service';
import { PersonPseudonyms } from './person-pseudonyms.service';
import { SettingsChecks } from './settings/settings-validation';
import { VendorPseudonyms } from './vendor-pseudonyms.service';

/** Providers that other modules use. */
const SHARED = [
  ConnectionHealth,
  SettingsChecks,
  UserNames,
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
  OrganizationStatusService,
  OrganizationEndings,
  MemberImport,
  MemberChecklists,
  MemberInvitations,
  MemberProvisioning,
  OrganizationImport,
  VendorPseudonyms,
];

@Module({
  imports: [MailModule, OutboundModule, SignalsModule],
  controllers: [MembersController, GroupMembersController, GroupsController, OrganizationsController],
  providers: [
    ...SHARED,
    OrganizationRepository,
    MemberRepository,
    GroupRepository,
    GroupMemberRepository,
    GroupMembersService,
    ConnectionHealthRepository,
  ],
  exports: SHARED,
})
export class OrganizationsModule {}

/** Its route `/{slug}/{part}` follows every other route below an organization. */
@Module({ imports: [OrganizationsModule], controllers: [OrganizationPartsController] })
export class OrganizationPartsModule {}
