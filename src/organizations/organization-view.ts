import type { Config } from '../infrastructure/config';
import { featuresOf, operatorVendors, privacyOf } from './runtime.builder';
import type { OrganizationSettings, ProviderSettings } from './settings/settings.types';
import type { OrganizationEntity } from './organization.entity';
import type {
  OrganizationDto,
  OrganizationSummaryDto,
  ProviderDto,
  SettingDiagnosticDto,
} from './organization-answer.dto';

const ROLES = ['default_model', 'fast_model', 'tool_use_model'] as const;

const allows = (models: readonly string[] | undefined, model: string): boolean =>
  models === undefined || models.length === 0 || models.includes(model);

/** Configured models that the lists of models leave out. The default model answers instead, and each run warns. */
export function modelDiagnostics(
  { models, providers = {}, default_model: chosen }: OrganizationSettings,
  planner: Pick<Config['planner'], 'vendor' | 'model'> | null,
): SettingDiagnosticDto[] {
  const isOffered = (provider: ProviderSettings | undefined, model: string): boolean =>
    allows(models, model) && allows(provider?.models, model);
  const found: SettingDiagnosticDto[] = [];
  const tell = (
    path: string,
    provider: ProviderSettings | undefined,
    model: string | null | undefined,
    who: string,
  ) => {
    if (model === undefined || model === null || model === '' || isOffered(provider, model)) return;
    const message = `${who} ${model} is not among the models offered; the default model answers instead`;
    found.push({ severity: 'warning', code: 'connector.model_unavailable', message, model, path });
  };
  for (const [name, provider] of Object.entries(providers)) {
    if (provider.enabled === false) continue;
    for (const role of ROLES) tell(`providers.${name}.${role}`, provider, provider[role], 'The model');
  }
  if (chosen !== undefined) tell('default_model.model', providers[chosen.provider], chosen.model, 'The model');
  if (planner !== null)
    tell('models', providers[planner.vendor], planner.model, "The operator's planner model (TOOL_PLANNER_MODEL)");
  return found;
}

type ViewConfig = Pick<Config, 'vendors' | 'moodle' | 'planner'>;

export const summaryOf = (organization: OrganizationEntity): OrganizationSummaryDto => ({
  id: organization.id,
  slug: organization.slug,
  name: organization.name,
  is_system: organization.isSystem,
  suspended: organization.suspended,
  erase_after: organization.eraseAfter?.toISOString() ?? null,
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

const translatorView = ({ translator = {} }: OrganizationSettings): OrganizationDto['translator'] => ({
  dialect: translator.dialect ?? null,
  url: translator.url ?? null,
  api_key_configured: translator.api_key !== undefined,
});

/** `environment: true`: the environment fills the gaps of this provider. */
function providersView(
  organization: OrganizationEntity,
  config: Pick<Config, 'vendors'> | null,
): OrganizationDto['providers'] {
  const own = new Map(Object.entries(organization.settings.providers ?? {}));
  const environment = new Set(organization.isSystem && config !== null ? operatorVendors(config) : []);
  const names = [...new Set([...own.keys(), ...environment])];
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

const rerankerView = ({ reranker = {} }: OrganizationSettings): OrganizationDto['reranker'] => ({
  dialect: reranker.dialect ?? null,
  url: reranker.url ?? null,
  model: reranker.model ?? null,
  api_key_configured: reranker.api_key !== undefined,
});

/** `environment: true`: the operator's Moodle is used. */
const moodleView = (
  { api_url, token }: NonNullable<OrganizationSettings['moodle']>,
  environment: Config['moodle'] | null,
): OrganizationDto['moodle'] => ({
  api_url: api_url ?? null,
  token_configured: token !== undefined,
  environment: api_url === undefined && environment !== null && environment.apiUrl !== null,
});

/** Null for a planner without a model. */
const plannerOf = (config: ViewConfig | null): Config['planner'] | null =>
  config === null || config.planner.vendor === 'heuristic' ? null : config.planner;

function partsOf(
  { isSystem, settings }: OrganizationEntity,
  config: ViewConfig | null,
): Omit<OrganizationDto, keyof OrganizationSummaryDto | 'providers'> {
  const { knowledge_base: knowledgeBase = {}, moodle = {} }: OrganizationSettings = settings;
  return {
    models: [...(settings.models ?? [])],
    default_model: settings.default_model ?? null,
    knowledge_base: {
      server_url: knowledgeBase.server_url ?? null,
      api_token_configured: knowledgeBase.api_token !== undefined,
    },
    reranker: rerankerView(settings),
    translator: translatorView(settings),
    moodle: moodleView(moodle, isSystem ? (config?.moodle ?? null) : null),
    mcp: mcpView(settings),
    limits: settings.limits ?? {},
    privacy: privacyOf(settings),
    prices: settings.prices ?? {},
    diagnostics: modelDiagnostics(settings, plannerOf(config)),
  };
}

/** `config` null shows the settings of the organization alone, for the audit. */
export const viewOf = (organization: OrganizationEntity, config: ViewConfig | null = null): OrganizationDto => ({
  ...summaryOf(organization),
  providers: providersView(organization, config),
  ...partsOf(organization, config),
});
