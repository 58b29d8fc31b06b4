export type { ConnectionOutcome, ConnectionState, LatestOutcome } from './connection-health.entity';
export { ConnectionHealth, outcomeOf } from './connection-health.service';
export { type DirectoryGroup, DirectoryGroups } from './groups/directory-groups.service';
export { GROUP_MATCHES, GROUP_MEMBERSHIPS, type GroupMatch } from './groups/group.entity';
export { GroupMemberships, GroupProvisioning, GroupsService } from './groups/groups.service';
export type { ChecklistAnswers } from './member.entity';
export { madeAccountIn } from './member.repository';
export { type Account, type ImportedMember, MemberImport } from './members/member-import.repository';
export * from './members/member-provisioning.service';
export { type Member, MembersService } from './members/members.service';
export { FoundingService, SLUG, SLUG_LENGTH, type SystemOrganization } from './organization/founding.service';
export { InOrganization, type OrganizationRequest } from './organization/in-organization.decorator';
export {
  type ChangedEnding,
  type ErasedOrganization,
  OrganizationEndings,
} from './organization/organization-endings.service';
export { type ImportedOrganizationValues, OrganizationImport } from './organization/organization-import';
export { type OrganizationStatus, OrganizationStatusService } from './organization/organization-status.service';
export { GRACE_DAYS } from './organization/organization.dto';
export { assertOutranks, rankOf } from './organization/organization.permissions';
export { OrganizationsService } from './organization/organizations.service';
export { OrganizationChanges, SettingsService } from './organization/settings.service';
export { OrganizationPartsModule, OrganizationsModule } from './organizations.module';
export { PersonPseudonyms, type Pseudonymize } from './person-pseudonyms.service';
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
export { SettingsChecks } from './settings/settings-validation';
export {
  FEATURES,
  type Feature,
  type Features,
  type LimitRule,
  type LimitSettings,
  type ModelPrice,
  type PriceSettings,
  RULE_ENDINGS,
  RULE_LIMITS,
  RULE_SUBJECTS,
  RULE_WINDOWS,
  type RuleEnding,
  type RuleLimit,
  type RuleSubject,
  type RuleWindow,
  type Term,
  type VendorUserIds,
} from './settings/settings.types';
export { VendorPseudonyms } from './vendor-pseudonyms.service';
