import type { Config } from '../platform/config';
import { environmentProviders } from './environment-providers';
import type { OrganizationDto, OrganizationSummaryDto, ProviderDto } from './organization-answer.dto';
import type { OrganizationEntity } from './organization.entity';
import { featuresOf } from './runtime.builder';
import type { OrganizationSettings, ProviderSettings } from './settings.types';

export const summaryOf = (organization: OrganizationEntity): OrganizationSummaryDto => ({
  id: organization.id,
  slug: organization.slug,
  name: organization.name,
  is_system: organization.isSystem,
  suspended: organization.suspended,
  features: featuresOf(organization.settings),
  version: organization.version,
  created_at: organization.createdAt.toISOString(),
  updated_at: organization.updatedAt.toISOString(),
});

function providerView(own: ProviderSettings): Omit<ProviderDto, 'environment'> {
  return {
    enabled: own.enabled ?? true,
    api_key_configured: own.api_key !== undefined,
    base_url: own.base_url ?? null,
    models: [...(own.models ?? [])],
    default_model: own.default_model ?? null,
    fast_model: own.fast_model ?? null,
    tool_use_model: own.tool_use_model ?? null,
  };
}

/** `environment: true` marks a provider that the operator's environment configures as far as the organization does not. */
function providersView(
  organization: OrganizationEntity,
  config: Pick<Config, 'providers'> | null,
): OrganizationDto['providers'] {
  const own = new Map(Object.entries(organization.settings.providers ?? {}));
  const environment =
    organization.isSystem && config !== null ? environmentProviders(config) : new Map<string, never>();
  const names = [...new Set([...own.keys(), ...environment.keys()])];
  return Object.fromEntries(
    names.map((name) => [name, { ...providerView(own.get(name) ?? {}), environment: environment.has(name) }]),
  );
}

const mcpView = ({ mcp }: OrganizationSettings): OrganizationDto['mcp'] => ({
  servers: Object.fromEntries(
    Object.entries(mcp?.servers ?? {}).map(([name, { url, enabled, token }]) => [
      name,
      { url: url ?? null, enabled: enabled ?? false, token_configured: token !== undefined },
    ]),
  ),
});

function partsOf({ settings }: OrganizationEntity): Omit<OrganizationDto, keyof OrganizationSummaryDto | 'providers'> {
  const { knowledge_base: knowledgeBase = {}, moodle = {} }: OrganizationSettings = settings;
  return {
    models: [...(settings.models ?? [])],
    default_model: settings.default_model ?? null,
    knowledge_base: {
      server_url: knowledgeBase.server_url ?? null,
      api_token_configured: knowledgeBase.api_token !== undefined,
    },
    moodle: { api_url: moodle.api_url ?? null, token_configured: moodle.token !== undefined },
    mcp: mcpView(settings),
    limits: settings.limits ?? {},
  };
}

/** Without `config` only what the organization itself set is shown, as the audit wants it. */
export const viewOf = (
  organization: OrganizationEntity,
  config: Pick<Config, 'providers'> | null = null,
): OrganizationDto => ({
  ...summaryOf(organization),
  providers: providersView(organization, config),
  ...partsOf(organization),
});
