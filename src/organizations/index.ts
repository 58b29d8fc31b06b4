export { FoundingService, type SystemOrganization } from './organization/founding.service';
export { type Member, MembersService } from './members/members.service';
export { type Account, type ImportedMember, MemberImport } from './members/member-import.repository';
export { MemberProvisioning } from './members/member-provisioning.service';
export { type ImportedOrganizationValues, OrganizationImport } from './organization/organization-import';
export { OrganizationChanges } from './organization/organization-changes';
export { assertOutranks, rankOf } from './organization/organization.permissions';
export { OrganizationsModule } from './organizations.module';
export { OrganizationsService } from './organization/organizations.service';
export type {
  KnowledgeBaseRuntime,
  McpServerRuntime,
  OrganizationRuntime,
  ProviderRuntime,
} from './runtime/runtime.types';
export { SettingsService } from './organization/settings.service';
export { type OrganizationStanding, StandingService } from './organization/standing.service';
export type { Features } from './settings/settings.types';
export { SLUG, SLUG_LENGTH } from './organization/slug';
