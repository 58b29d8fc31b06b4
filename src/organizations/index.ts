export { ConnectionHealth, outcomeOf } from './connections/connection-health.service';
export type { ConnectionOutcome, ConnectionState, LatestOutcome } from './connections/connection-health.types';
export { SettingsChecks } from './settings/settings-checks.service';
export { FoundingService, type SystemOrganization } from './organization/founding.service';
export { type Member, MembersService } from './members/members.service';
export { type Account, type ImportedMember, MemberImport } from './members/member-import.repository';
export { MemberChecklists } from './members/member-checklists.service';
export { MemberInvitations } from './members/member-invitations.service';
export { MemberProvisioning, type ProvisionedBy } from './members/member-provisioning.service';
export { type ImportedOrganizationValues, OrganizationImport } from './organization/organization-import';
export { OrganizationChanges } from './organization/organization-changes';
export { assertOutranks, rankOf } from './organization/organization.permissions';
export { PeopleNames, type PersonName } from './members/people-names.service';
export { type DirectoryGroup, DirectoryGroups } from './groups/directory-groups.service';
export { GroupMemberships } from './groups/group-memberships.service';
export { GroupProvisioning } from './groups/group-provisioning.service';
export { GROUP_MATCHES, GROUP_MEMBERSHIPS, type GroupMatch } from './groups/group.types';
export { GroupsService } from './groups/groups.service';
export { OrganizationPartsModule } from './organization-parts.module';
export { OrganizationsModule } from './organizations.module';
export { GRACE_DAYS } from './organization/end-organization.dto';
export {
  type ChangedEnding,
  type ErasedOrganization,
  OrganizationEndings,
} from './organization/organization-endings.service';
export { OrganizationsService } from './organization/organizations.service';
export type {
  KnowledgeBaseRuntime,
  McpServerRuntime,
  MoodleRuntime,
  OrganizationRuntime,
  PrivacyRuntime,
  ProviderRuntime,
  RerankerRuntime,
  TranslatorRuntime,
} from './runtime/runtime.types';
export { PersonPseudonyms, type Pseudonymize } from './pseudonyms/person-pseudonyms.service';
export { VendorPseudonyms } from './pseudonyms/vendor-pseudonyms.service';
export { SettingsService } from './organization/settings.service';
export { type OrganizationStanding, StandingService } from './organization/standing.service';
export {
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
} from './settings/limit.types';
export { type Feature, FEATURES, type Features, type VendorUserIds } from './settings/settings.types';
export type { ChecklistAnswers } from './storage/member.entity';
export { madeAccountIn } from './storage/member.repository';
export { SLUG, SLUG_LENGTH } from './organization/slug';
