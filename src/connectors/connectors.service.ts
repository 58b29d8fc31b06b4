import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Caller } from '../kernel';
import { OrganizationsService, type OrganizationRuntime, type ProviderRuntime } from '../organizations';
import {
  CONNECTORS,
  type Connector,
  type ConnectorCapabilities,
  type ConnectorDefinition,
  type ModelTarget,
} from './contract';
import { chooseModel, enabledModels, type ModelWarning } from './model-choice';

/** The name that stands for whatever the organization has. */
export const AUTO = 'auto';

export interface ResolvedModel {
  readonly connector: Connector;
  readonly target: ModelTarget;
  readonly model: string;
  /** Key of the organization's `providers`; null for connectors that need none. */
  readonly provider: string | null;
  readonly warnings: readonly ModelWarning[];
}

export interface ConnectorListing {
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly capabilities: ConnectorCapabilities;
  /** Whether the caller's organization can use it now. */
  readonly configured: boolean;
  readonly models: readonly string[];
  readonly default_model: string | null;
}

/** What a definition asks for and will not get. */
export interface ConnectorDoubt {
  readonly code: 'connector.unknown' | 'connector.model_unavailable';
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
  private readonly byName: ReadonlyMap<string, Connector>;

  constructor(
    @Inject(CONNECTORS) private readonly connectors: readonly Connector[],
    private readonly organizations: OrganizationsService,
  ) {
    this.byName = new Map(
      connectors.flatMap((connector) =>
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
  async resolve(organizationId: string, wish: { connector: string; llm: string | null }): Promise<ResolvedModel> {
    const organization = await this.organizations.runtime(organizationId);
    if (wish.connector === AUTO) return this.resolveAuto(organization);
    const connector = this.byName.get(wish.connector);
    if (connector === undefined) {
      throw new AppError('connector_not_configured', `There is no connector named ${wish.connector.slice(0, 60)}`);
    }
    return this.resolveFor(organization, connector, wish.llm);
  }

  /** What `resolve` would refuse or replace, told before anybody asks. No vendor is asked. */
  async doubts(
    organizationId: string,
    { connector, llm }: { connector: string; llm: string | null },
  ): Promise<readonly ConnectorDoubt[]> {
    const definition = this.find(connector);
    if (definition === undefined && connector !== AUTO) {
      const message = `There is no connector named "${connector.slice(0, 60)}"; questions will fail`;
      return [{ code: 'connector.unknown', member: 'connector', message }];
    }
    if (llm === null || llm === '') return [];
    const organization = await this.organizations.runtime(organizationId);
    const isOffered =
      definition === undefined
        ? (model: string) => isEnabled(organization, model)
        : enabledModels(organization, definition, providerOf(organization, definition));
    if (isOffered(llm)) return [];
    const message = 'Your organization does not offer this model; its default model answers instead';
    return [{ code: 'connector.model_unavailable', member: 'llm', message }];
  }

  async list(caller: Caller): Promise<readonly ConnectorListing[]> {
    const organization = await this.organizations.runtime(caller.organizationId);
    return this.connectors.map((connector) => this.listing(organization, connector));
  }

  private resolveFor(organization: OrganizationRuntime, connector: Connector, llm: string | null): ResolvedModel {
    const { definition } = connector;
    const provider = providerOf(organization, definition);
    if (definition.provider !== null && !isUsable(definition, provider)) {
      throw new AppError(
        'connector_not_configured',
        `The organization has not configured the provider ${definition.provider} that this assistant uses`,
      );
    }
    const { model, warnings } = chooseModel(organization, definition, provider, llm);
    const target = provider === null ? NO_TARGET : targetOf(provider);
    return { connector, target, model, provider: provider?.name ?? null, warnings };
  }

  /** The organization's default, else the first connector that it configured, else the one that needs nothing. */
  private resolveAuto(organization: OrganizationRuntime): ResolvedModel {
    const preferred = organization.defaultModel;
    const usable = this.connectors.filter(({ definition }) => canAnswer(organization, definition));
    const byDefault = usable.find(({ definition }) => preferred !== null && definition.provider === preferred.provider);
    const connector = byDefault ?? usable[0];
    if (connector === undefined) throw new AppError('connector_not_configured', 'No connector can answer');
    return this.resolveFor(organization, connector, byDefault === undefined ? null : (preferred?.model ?? null));
  }

  private listing(organization: OrganizationRuntime, { definition }: Connector): ConnectorListing {
    const { name, display_name, description, capabilities } = definition;
    const configured = isConfigured(organization, definition);
    const provider = providerOf(organization, definition);
    const own = definition.models.length > 0 ? definition.models : (provider?.models ?? []);
    const models = own.filter(enabledModels(organization, definition, provider));
    const default_model = configured ? defaultOf(organization, definition) : null;
    return {
      name,
      display_name,
      description,
      capabilities,
      configured,
      models: configured ? models : [],
      default_model,
    };
  }
}

const providerOf = (organization: OrganizationRuntime, definition: ConnectorDefinition): ProviderRuntime | null =>
  definition.provider === null ? null : (organization.providers.get(definition.provider) ?? null);

/** A vendor that wants keys may go without one only at an address that the operator chose. */
const isUsable = (definition: ConnectorDefinition, provider: ProviderRuntime | null): provider is ProviderRuntime =>
  provider !== null && (!definition.needsKey || provider.trusted || provider.apiKey !== null);

const isEnabled = (organization: OrganizationRuntime, model: string): boolean =>
  organization.models.length === 0 || organization.models.includes(model);

const targetOf = ({ baseUrl, apiKey, trusted }: ProviderRuntime): ModelTarget => ({ baseUrl, apiKey, trusted });

/** For a listing: a provider whose secret cannot be opened is one that cannot be used. */
function isConfigured(organization: OrganizationRuntime, definition: ConnectorDefinition): boolean {
  try {
    return definition.provider === null || isUsable(definition, providerOf(organization, definition));
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
  (definition.provider === null || isUsable(definition, providerOf(organization, definition))) &&
  defaultOf(organization, definition) !== null;
