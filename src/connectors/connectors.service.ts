import { AppError, type Awaitable, type Caller, type JsonObject, after, isJsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Vendor } from '../infrastructure/config';
import { beforeVendorCall } from '../infrastructure/outbound';
import { Metering } from '../metering';
import {
  ConnectionHealth,
  type OrganizationRuntime,
  OrganizationsService,
  type ProviderRuntime,
  VendorPseudonyms,
  type VendorUserIds,
} from '../organizations';
import {
  CONNECTORS,
  type Connector,
  type ConnectorCapabilities,
  type ConnectorDefinition,
  type ModelRequest,
  type ModelTarget,
} from './contract';
import type { ConnectorDto } from './connectors.dto';
import { meteredConnector } from './metered-connector';

interface ModelWarning {
  readonly code: 'connector.model_unavailable';
  readonly message: string;
}

interface ModelChoice {
  readonly model: string;
  readonly warnings: readonly ModelWarning[];
}

/**
 * The requested model if it is enabled, else a default with a warning: the provider's, the organization's, then the first
 * listed one (LAMB's order).
 * @throws AppError `connector_not_configured` when no model is left
 */
function chooseModel(
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
const toolUseModelOf = (definition: ConnectorDefinition, provider: ProviderRuntime | null): string | null => {
  const model = definition.capabilities.functions ? (provider?.toolUseModel ?? '') : '';
  return model === '' ? null : model;
};

/** A connector's own list is final. Otherwise both lists of the organization must agree; an empty list allows all. */
function enabledModels(
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

/** Members of OpenAI's body that name the person. */
const NAMING_PARAMS: ReadonlySet<string> = new Set(['user', 'safety_identifier']);
/** Members of `metadata` that name the end user (`END_USER_SOURCES`). */
const NAMING_METADATA: ReadonlySet<string> = new Set(['user_id', 'lti_user_id', 'lis_person_sourcedid', 'email']);

const without = (object: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));

/** The parameters without identifiers of people. */
export function anonymousParams(params: JsonObject): JsonObject {
  const { metadata, ...rest } = without(params, NAMING_PARAMS);
  if (!isJsonObject(metadata)) return metadata === undefined ? rest : { ...rest, metadata };
  const kept = without(metadata, NAMING_METADATA);
  return Object.keys(kept).length === 0 ? rest : { ...rest, metadata: kept };
}

/** Applies the organization's choice to every request. `pseudonymOf` finds the person of a run. */
function withUserIds(
  connector: Connector,
  choice: VendorUserIds,
  pseudonymOf: (runId: string) => string | null,
): Connector {
  if (choice === 'as_sent') return connector;
  const identified = (request: ModelRequest, runId: string): ModelRequest => {
    const params = anonymousParams(request.params);
    const pseudonym = choice === 'pseudonymous' ? pseudonymOf(runId) : null;
    return pseudonym === null ? { ...request, params } : { ...request, params, pseudonym };
  };
  return {
    definition: connector.definition,
    complete: (request, target, context) => connector.complete(identified(request, context.runId), target, context),
    stream: (request, target, context, take) =>
      connector.stream(identified(request, context.runId), target, context, take),
  };
}

/** Awaits `beforeVendorCall` before each model call, where the caller set one. */
function gatedConnector(connector: Connector): Connector {
  return {
    definition: connector.definition,
    complete: (...call) => {
      const gate = beforeVendorCall.getStore();
      return gate === undefined ? connector.complete(...call) : gate().then(() => connector.complete(...call));
    },
    stream: (...call) => {
      const gate = beforeVendorCall.getStore();
      return gate === undefined ? connector.stream(...call) : gate().then(() => connector.stream(...call));
    },
  };
}

/** Connector and model that a definition names. */
export interface ModelWish {
  readonly connector: string;
  readonly llm: string | null;
  /**
   * True when it calls functions: without an `llm` of its own, the provider's `tool_use_model` comes before its
   * default.
   */
  readonly callsFunctions?: boolean;
}

/** Stands for the organization's default connector and model. */
export const AUTO = 'auto';

export interface ResolvedModel {
  readonly connector: Connector;
  readonly target: ModelTarget;
  readonly model: string;
  /** Key of the organization's `providers`; null for connectors that need none. */
  readonly provider: string | null;
  readonly warnings: readonly ModelWarning[];
}

/** A connector or model that a definition names and will not get. */
export interface ConnectorDoubt {
  readonly code: 'connector.unknown' | 'connector.not_configured' | 'connector.model_unavailable';
  readonly member: 'connector' | 'llm';
  readonly message: string;
}

const NO_TARGET: ModelTarget = { baseUrl: '', apiKey: null, trusted: false };

/** `auto` may turn out to be any connector, so nothing is dropped before it is resolved. */
const AUTO_CAPABILITIES: ConnectorCapabilities = {
  streaming: true,
  vision: true,
  functions: true,
  image_generation: false,
};

@Injectable()
export class ConnectorsService {
  private readonly connectors: readonly Connector[];
  private readonly byName: ReadonlyMap<string, Connector>;

  constructor(
    @Inject(CONNECTORS) connectors: readonly Connector[],
    private readonly organizations: OrganizationsService,
    private readonly metering: Metering,
    private readonly pseudonyms: VendorPseudonyms,
    @Inject(ConnectionHealth) private readonly health: Pick<ConnectionHealth, 'used'>,
  ) {
    this.connectors = connectors.map(gatedConnector);
    this.byName = new Map(
      this.connectors.flatMap((connector) =>
        [connector.definition.name, ...connector.definition.aliases].map((name) => [name, connector] as const),
      ),
    );
  }

  definitions(): readonly ConnectorDefinition[] {
    return this.connectors.map(({ definition }) => definition);
  }

  /** Aliases included; undefined for `auto` and for names that no connector has. */
  find(nameOrAlias: string): ConnectorDefinition | undefined {
    return this.byName.get(nameOrAlias)?.definition;
  }

  /** Null for a name that no connector has. */
  capabilities(nameOrAlias: string): ConnectorCapabilities | null {
    return nameOrAlias === AUTO ? AUTO_CAPABILITIES : (this.find(nameOrAlias)?.capabilities ?? null);
  }

  /**
   * Decides who answers for one call: connector, model, address and key.
   * @throws AppError `connector_not_configured`, `secret_unavailable`
   */
  resolve(organizationId: string, wish: ModelWish): Awaitable<ResolvedModel> {
    return after(this.organizations.runtime(organizationId), (organization) => this.resolveIn(organization, wish));
  }

  private resolveIn(organization: OrganizationRuntime, wish: ModelWish): ResolvedModel {
    if (wish.connector === AUTO) return this.resolveAuto(organization, wish.callsFunctions === true);
    const connector = this.byName.get(wish.connector);
    if (connector === undefined) {
      throw new AppError('connector_not_configured', `There is no connector named ${wish.connector.slice(0, 60)}`);
    }
    return this.resolveFor(organization, connector, this.llmOf(organization, connector, wish));
  }

  /** The provider's `fast_model` instead of the wished one; null where the organization offers none. @throws as `resolve` */
  async fast(organizationId: string, wish: ModelWish): Promise<ResolvedModel | null> {
    const { connector, provider } = await this.resolve(organizationId, wish);
    const { providers } = await this.organizations.runtime(organizationId);
    const llm = (provider === null ? null : providers.get(provider)?.fastModel) ?? '';
    if (llm === '') return null;
    const resolved = await this.resolve(organizationId, { connector: connector.definition.name, llm });
    return resolved.model === llm ? resolved : null;
  }

  private llmOf(
    organization: OrganizationRuntime,
    { definition }: Connector,
    { llm, callsFunctions = false }: Pick<ModelWish, 'llm' | 'callsFunctions'>,
  ): string | null {
    const named = llm !== null && llm !== '';
    return named || !callsFunctions ? llm : toolUseModelOf(definition, providerOf(organization, definition));
  }

  /** Reports in advance what `resolve` would refuse or replace. Calls no vendor. */
  async doubts(
    organizationId: string,
    { connector, llm }: { connector: string; llm: string | null },
  ): Promise<readonly ConnectorDoubt[]> {
    const definition = this.find(connector);
    if (definition === undefined && connector !== AUTO) {
      const message = `There is no connector named "${connector.slice(0, 60)}"; questions will fail`;
      return [{ code: 'connector.unknown', member: 'connector', message }];
    }
    const organization = await this.organizations.runtime(organizationId);
    if (definition !== undefined && !isConfigured(organization, definition)) {
      const message = `Your organization has not configured ${definition.display_name}; questions will fail`;
      return [{ code: 'connector.not_configured', member: 'connector', message }];
    }
    if (llm === null || llm === '') {
      if (definition === undefined || defaultOf(organization, definition) !== null) return [];
      const message = `Your organization chose no model of ${definition.display_name}; questions will fail`;
      return [{ code: 'connector.not_configured', member: 'connector', message }];
    }
    const isOffered =
      definition === undefined
        ? (model: string) => isEnabled(organization, model)
        : enabledModels(organization, definition, providerOf(organization, definition));
    if (isOffered(llm)) return [];
    const message = 'Your organization does not offer this model; its default model answers instead';
    return [{ code: 'connector.model_unavailable', member: 'llm', message }];
  }

  /** Whether any vendor of models can answer for the organization: it is configured, and a default model is known. */
  async hasVendor(organizationId: string): Promise<boolean> {
    const organization = await this.organizations.runtime(organizationId);
    return this.connectors.some(
      ({ definition }) =>
        definition.vendor !== null &&
        isConfigured(organization, definition) &&
        defaultOf(organization, definition) !== null,
    );
  }

  async list(caller: Caller): Promise<ConnectorDto[]> {
    const organization = await this.organizations.runtime(caller.organizationId);
    return this.connectors.map((connector) => this.listing(organization, connector));
  }

  private resolveFor(organization: OrganizationRuntime, connector: Connector, llm: string | null): ResolvedModel {
    const { definition } = connector;
    const provider = providerOf(organization, definition);
    const { vendor } = definition;
    if (vendor !== null && !isUsable(vendor, provider)) {
      throw new AppError(
        'connector_not_configured',
        `The organization has not configured the provider ${vendor.name} that this assistant uses`,
      );
    }
    const { model, warnings } = chooseModel(organization, definition, provider, llm);
    if (provider === null) return { connector, target: NO_TARGET, model, provider: null, warnings };
    const metered = meteredConnector(connector, {
      provider: provider.name,
      meterOf: (runId) => this.metering.of(runId, organization),
      note: (outcome) => this.health.used(organization.id, `providers.${provider.name}`, outcome),
    });
    const identified = withUserIds(metered, organization.privacy.vendor_user_ids, (runId) =>
      this.pseudonyms.ofRun(runId, organization.id),
    );
    return { connector: identified, target: targetOf(provider, vendor), model, provider: provider.name, warnings };
  }

  /** The organization's default, else the first connector that it configured, else the one that needs nothing. */
  private resolveAuto(organization: OrganizationRuntime, callsFunctions: boolean): ResolvedModel {
    const preferred = organization.defaultModel;
    const usable = this.connectors.filter(({ definition }) => canAnswer(organization, definition));
    const byDefault = usable.find(
      ({ definition }) => preferred !== null && definition.vendor?.name === preferred.provider,
    );
    const connector = byDefault ?? usable[0];
    if (connector === undefined) throw new AppError('connector_not_configured', 'No connector can answer');
    const llm = byDefault === undefined ? null : (preferred?.model ?? null);
    const own = this.llmOf(organization, connector, { llm: null, callsFunctions });
    return this.resolveFor(organization, connector, own ?? llm);
  }

  private listing(organization: OrganizationRuntime, { definition }: Connector): ConnectorDto {
    const { name, display_name, description, texts, icon, capabilities, vendor } = definition;
    const configured = isConfigured(organization, definition);
    const provider = providerOf(organization, definition);
    const own = definition.models.length > 0 ? definition.models : (provider?.models ?? []);
    const models = own.filter(enabledModels(organization, definition, provider));
    const default_model = configured ? defaultOf(organization, definition) : null;
    return {
      name,
      display_name,
      description,
      texts,
      icon,
      capabilities,
      provider: vendor?.name ?? null,
      base_url: vendor?.baseUrl ?? null,
      needs_key: vendor?.needsKey === true,
      configured,
      models: configured ? [...models] : [],
      default_model,
      embeddings: embeddingsOf(definition),
    };
  }
}

const embeddingsOf = ({ embeddings, vendor }: ConnectorDefinition): ConnectorDto['embeddings'] =>
  embeddings === undefined ? null : { default_model: embeddings.defaultModel, needs_key: vendor?.needsKey === true };

const providerOf = (organization: OrganizationRuntime, definition: ConnectorDefinition): ProviderRuntime | null =>
  definition.vendor === null ? null : (organization.providers.get(definition.vendor.name) ?? null);

/** A vendor that wants keys may go without one only at an address that the operator chose. */
const isUsable = ({ needsKey }: Vendor, provider: ProviderRuntime | null): provider is ProviderRuntime =>
  provider !== null && (!needsKey || provider.trusted || provider.apiKey !== null);

/** @throws AppError `secret_unavailable` */
const canBeUsed = (organization: OrganizationRuntime, definition: ConnectorDefinition): boolean =>
  definition.vendor === null || isUsable(definition.vendor, providerOf(organization, definition));

const isEnabled = (organization: OrganizationRuntime, model: string): boolean =>
  organization.models.length === 0 || organization.models.includes(model);

const targetOf = ({ baseUrl, apiKey, trusted }: ProviderRuntime, vendor: Vendor | null): ModelTarget => ({
  baseUrl,
  apiKey,
  trusted,
  continuesTraces: baseUrl !== vendor?.baseUrl,
});

/** Usability in a listing: a provider whose secret cannot be opened is one that cannot be used. */
function isConfigured(organization: OrganizationRuntime, definition: ConnectorDefinition): boolean {
  try {
    return canBeUsed(organization, definition);
  } catch {
    return false;
  }
}

/** Null when no model is known or none is enabled. */
function defaultOf(organization: OrganizationRuntime, definition: ConnectorDefinition): string | null {
  try {
    return chooseModel(organization, definition, providerOf(organization, definition), null).model;
  } catch {
    return null;
  }
}

/** Configured, and some model of it is known and enabled. @throws AppError `secret_unavailable` */
const canAnswer = (organization: OrganizationRuntime, definition: ConnectorDefinition): boolean =>
  canBeUsed(organization, definition) && defaultOf(organization, definition) !== null;
