import type { Config } from '../platform/config';
import { environmentProviders } from './environment-providers';
import type { OrganizationEntity } from './organization.entity';
import { featuresOf } from './runtime.builder';
import type { Features, OrganizationSettings, ProviderSettings, SettingsPart } from './settings.types';

/** What any member may see of their organization. */
export interface OrganizationSummary {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly is_system: boolean;
  readonly features: Features;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What its administrators see: every setting, secrets only as present or absent. */
export interface OrganizationView extends OrganizationSummary, Readonly<Record<SettingsPart, unknown>> {
  readonly features: Features;
}

export const summaryOf = (organization: OrganizationEntity): OrganizationSummary => ({
  id: organization.id,
  slug: organization.slug,
  name: organization.name,
  is_system: organization.isSystem,
  features: featuresOf(organization.settings),
  created_at: organization.createdAt.toISOString(),
  updated_at: organization.updatedAt.toISOString(),
});

function providerView(own: ProviderSettings): object {
  return {
    enabled: own.enabled ?? true,
    api_key_configured: own.api_key !== undefined,
    base_url: own.base_url ?? null,
    models: own.models ?? [],
    default_model: own.default_model ?? null,
    fast_model: own.fast_model ?? null,
    tool_use_model: own.tool_use_model ?? null,
  };
}

/** `environment: true` marks a provider that the operator's environment configures as far as the organization does not. */
function providersView(organization: OrganizationEntity, config: Pick<Config, 'providers'> | null): object {
  const own = new Map(Object.entries(organization.settings.providers ?? {}));
  const environment =
    organization.isSystem && config !== null ? environmentProviders(config) : new Map<string, never>();
  const names = [...new Set([...own.keys(), ...environment.keys()])];
  return Object.fromEntries(
    names.map((name) => [name, { ...providerView(own.get(name) ?? {}), environment: environment.has(name) }]),
  );
}

function partsOf({ settings }: OrganizationEntity): Omit<Record<SettingsPart, unknown>, 'providers' | 'features'> {
  const { knowledge_base: knowledgeBase = {}, moodle = {} }: OrganizationSettings = settings;
  return {
    models: settings.models ?? [],
    default_model: settings.default_model ?? null,
    knowledge_base: {
      server_url: knowledgeBase.server_url ?? null,
      api_token_configured: knowledgeBase.api_token !== undefined,
    },
    moodle: { api_url: moodle.api_url ?? null, token_configured: moodle.token !== undefined },
    limits: settings.limits ?? {},
  };
}

/** Without `config` only what the organization itself set is shown, as the audit wants it. */
export const viewOf = (
  organization: OrganizationEntity,
  config: Pick<Config, 'providers'> | null = null,
): OrganizationView => ({
  ...summaryOf(organization),
  providers: providersView(organization, config),
  ...partsOf(organization),
});
