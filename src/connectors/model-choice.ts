import { AppError } from '../kernel';
import type { OrganizationRuntime, ProviderRuntime } from '../organizations';
import type { ConnectorDefinition } from './contract';

export interface ModelWarning {
  readonly code: 'connector.model_unavailable';
  readonly message: string;
}

export interface ModelChoice {
  readonly model: string;
  readonly warnings: readonly ModelWarning[];
}

/**
 * The requested model if it is enabled, else a default with a warning: the provider's, the organization's, then the first
 * listed one (LAMB's order).
 * @throws AppError `connector_not_configured` when no model is left
 */
export function chooseModel(
  organization: OrganizationRuntime,
  definition: ConnectorDefinition,
  provider: ProviderRuntime | null,
  wish: string | null,
): ModelChoice {
  const asked = wish ?? '';
  const isEnabled = enabledModels(organization, definition, provider);
  if (asked !== '' && isEnabled(asked)) return { model: asked, warnings: [] };
  const model = candidates(organization, definition, provider).find(isEnabled);
  if (model === undefined) {
    const message = `The organization chose no model for ${definition.name}; an administrator names a default model`;
    throw new AppError('connector_not_configured', message);
  }
  if (asked === '') return { model, warnings: [] };
  const message = `The model ${asked} is not enabled for ${definition.name}; ${model} answers instead`;
  return { model, warnings: [{ code: 'connector.model_unavailable', message }] };
}

/** The model that calls functions, where the organization named one for this vendor; null without one. */
export const toolUseModelOf = (definition: ConnectorDefinition, provider: ProviderRuntime | null): string | null => {
  const model = definition.capabilities.functions ? (provider?.toolUseModel ?? '') : '';
  return model === '' ? null : model;
};

/** A connector's own list is final. Otherwise both lists of the organization must agree; an empty list allows all. */
export function enabledModels(
  organization: OrganizationRuntime,
  definition: ConnectorDefinition,
  provider: ProviderRuntime | null,
): (model: string) => boolean {
  if (definition.models.length > 0) return (model) => definition.models.includes(model);
  const lists = [organization.models, provider?.models ?? []].filter((list) => list.length > 0);
  const pattern = definition.modelPattern === undefined ? null : new RegExp(definition.modelPattern);
  return (model) => lists.every((list) => list.includes(model)) && (pattern === null || pattern.test(model));
}

/**
 * The built-in default is a model of the vendor itself: another server with its API need not have it. A base URL of the
 * environment counts as the vendor's, since the environment names no model.
 */
function isVendorsOwn({ vendor }: ConnectorDefinition, provider: ProviderRuntime | null): boolean {
  if (vendor === null || provider === null || provider.trusted) return true;
  return provider.baseUrl.replace(/\/$/, '') === vendor.baseUrl;
}

function candidates(
  organization: OrganizationRuntime,
  definition: ConnectorDefinition,
  provider: ProviderRuntime | null,
): readonly string[] {
  const { defaultModel } = organization;
  const ofOrganization =
    defaultModel !== null && defaultModel.provider === definition.vendor?.name ? defaultModel.model : null;
  const builtIn = isVendorsOwn(definition, provider) ? definition.defaultModel : null;
  const named = [provider?.defaultModel, ofOrganization, ...(provider?.models ?? []), builtIn];
  return [...named, ...organization.models].filter((model) => typeof model === 'string' && model !== '') as string[];
}
