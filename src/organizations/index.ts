export type { ConnectionOutcome, ConnectionState, LatestOutcome } from './connection-health.entity';
export { ConnectionHealth, outcomeOf } from './connection-health.service';
export { type DirectoryGroup, DirectoryGroups } from './groups/directory-groups.service';
export { GROUP_MATCHES, GROUP_MEMBERSHIPS, type GroupMatch } from './groups/group.entity';
export { GroupMemberships, GroupProvisioning, GroupsService } from './groups/groups.service';
export { type Account, type ImportedMember, MemberImport } from './members/member-import.repository';
export * from './members/member-provisioning.service';
export { type Member, MembersService } from './members/members.service';
export { OrganizationPartsModule } from './organization-parts.module';
export { GRACE_DAYS } from './organization/end-organization.dto';
export { FoundingService, SLUG, SLUG_LENGTH, type SystemOrganization } from './organization/founding.service';
export {
  type ChangedEnding,
  type ErasedOrganization,
  OrganizationEndings,
} from './organization/organization-endings.service';
export { type ImportedOrganizationValues, OrganizationImport } from './organization/organization-import';
export { InOrganization, type OrganizationRequest } from './organization/in-organization.decorator';
export { assertOutranks, rankOf } from './organization/organization.permissions';
export { OrganizationsService } from './organization/organizations.service';
export { OrganizationChanges, SettingsService } from './organization/settings.service';
export { type OrganizationStatus, OrganizationStatusService } from './organization/organization-status.service';
export { OrganizationsModule } from './organizations.module';
export { PersonPseudonyms, type Pseudonymize } from './person-pseudonyms.service';
export { VendorPseudonyms } from './vendor-pseudonyms.service';
export type {
  KnowledgeBaseRuntime,
  McpServerRuntime,
  MoodleRuntime,
  OrganizationRuntime,
  PrivacyRuntime,
  ProviderRuntime,
  RerankerRuntime,
  TranslatorRuntime,
} from './runtime.builder';
export * from './settings/limit.types';
export { SettingsChecks } from './settings/settings-validation';
export { FEATURES, type Feature, type Features, type VendorUserIds } from './settings/settings.types';
export type { ChecklistAnswers } from './member.entity';
export { madeAccountIn } from './member.repository';
