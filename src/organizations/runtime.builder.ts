import type { AppError } from '@bellwether/kernel';
import type { Config, VendorConfig } from '../infrastructure/config';
import type { OrganizationEntity } from './organization.entity';
import {
  FEATURES,
  type Features,
  type LimitSettings,
  type ModelChoice,
  OPT_IN_FEATURES,
  type OrganizationSettings,
  type PriceSettings,
  type ProviderSettings,
  type RetentionKind,
  type UsagePeople,
  type VendorUserIds,
} from './settings/settings.types';

/** A model vendor ready to be called. */
export interface ProviderRuntime {
  readonly name: string;
  /** @throws {AppError} `secret_unavailable` when it is read and its key is missing. */
  readonly apiKey: string | null;
  readonly baseUrl: string;
  /** Models that the organization lists; empty allows all of the vendor. */
  readonly models: readonly string[];
  readonly defaultModel: string | null;
  readonly fastModel: string | null;
  readonly toolUseModel: string | null;
  /** The base URL is the operator's: private addresses may be dialled. */
  readonly trusted: boolean;
}

export interface KnowledgeBaseRuntime {
  readonly serverUrl: string;
  /** @throws {AppError} `secret_unavailable` when it is read and its key is missing. */
  readonly apiToken: string | null;
}

export interface RerankerRuntime {
  readonly dialect: string;
  readonly url: string;
  readonly model: string | null;
  /** @throws {AppError} `secret_unavailable` when it is read and its key is missing. */
  readonly apiKey: string | null;
}

export interface TranslatorRuntime {
  readonly dialect: string;
  readonly url: string;
  /** @throws {AppError} `secret_unavailable` when it is read and its key is missing. */
  readonly apiKey: string | null;
}

export interface MoodleRuntime {
  readonly apiUrl: string;
  /** @throws {AppError} `secret_unavailable` when it is read and its key is missing. */
  readonly token: string | null;
  readonly trusted: boolean;
}

/** An enabled server of the Model Context Protocol. */
export interface McpServerRuntime {
  readonly name: string;
  readonly url: string;
  /** @throws {AppError} `secret_unavailable` when it is read and its key is missing. */
  readonly token: string | null;
}

/** Every member has a value. Null in `retention` keeps the data. */
export interface PrivacyRuntime {
  readonly vendor_user_ids: VendorUserIds;
  readonly usage_people: UsagePeople;
  readonly retention: Readonly<Record<RetentionKind, number | null>>;
}

/** Settings of an organization for a run, with opened secrets. Never logged, never answered. */
export interface OrganizationRuntime {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly isSystem: boolean;
  readonly providers: ReadonlyMap<string, ProviderRuntime>;
  /** Models that assistants may use; empty allows every model. */
  readonly models: readonly string[];
  readonly defaultModel: ModelChoice | null;
  readonly knowledgeBase: KnowledgeBaseRuntime | null;
  /** Null unless dialect and address are set. */
  readonly reranker: RerankerRuntime | null;
  /** Null unless dialect and address are set. */
  readonly translator: TranslatorRuntime | null;
  readonly moodle: MoodleRuntime | null;
  /** Enabled servers by name. */
  readonly mcpServers: ReadonlyMap<string, McpServerRuntime>;
  readonly features: Features;
  readonly privacy: PrivacyRuntime;
  readonly limits: LimitSettings;
  readonly prices: PriceSettings;
}

/** An opened secret, or the error that reading it throws. */
export type OpenedSecret = string | AppError | null;
/** Opened secrets by field, e.g. `providers.openai.api_key`. */
export type OpenedSecrets = ReadonlyMap<string, OpenedSecret>;

function reveal(secret: OpenedSecret): string | null {
  if (secret === null || typeof secret === 'string') return secret;
  throw secret;
}

function providerOf(
  name: string,
  own: ProviderSettings,
  vendor: VendorConfig,
  secret: OpenedSecret,
): ProviderRuntime | null {
  const { operator } = vendor;
  const baseUrl = own.base_url ?? operator?.baseUrl ?? vendor.baseUrl;
  if (baseUrl === null || own.enabled === false) return null;
  // The operator's key goes to the operator's URL and nowhere else.
  const trusted = own.base_url === undefined && operator !== null;
  const key = own.api_key === undefined && trusted ? operator.apiKey : secret;
  return {
    name,
    get apiKey() {
      return reveal(key);
    },
    baseUrl,
    ...modelsOf(own),
    trusted,
  };
}

const modelsOf = (own: ProviderSettings) => ({
  models: own.models ?? [],
  defaultModel: own.default_model ?? null,
  fastModel: own.fast_model ?? null,
  toolUseModel: own.tool_use_model ?? null,
});

const UNKNOWN_VENDOR: VendorConfig = { baseUrl: null, operator: null };

/** Vendors of the environment; they serve the system organization only. */
export const operatorVendors = ({ vendors }: Pick<Config, 'vendors'>): readonly string[] =>
  [...vendors].flatMap(([name, { operator }]) => (operator === null ? [] : [name]));

function providersOf(
  { settings, isSystem }: OrganizationEntity,
  config: Pick<Config, 'vendors'>,
  secrets: OpenedSecrets,
): Map<string, ProviderRuntime> {
  const own = new Map(Object.entries(settings.providers ?? {}));
  const providers = new Map<string, ProviderRuntime>();
  for (const name of new Set([...own.keys(), ...(isSystem ? operatorVendors(config) : [])])) {
    const secret = secrets.get(`providers.${name}.api_key`) ?? null;
    const vendor = config.vendors.get(name) ?? UNKNOWN_VENDOR;
    const provider = providerOf(name, own.get(name) ?? {}, isSystem ? vendor : { ...vendor, operator: null }, secret);
    if (provider !== null) providers.set(name, provider);
  }
  return providers;
}

function knowledgeBaseOf(
  { knowledge_base: own }: OrganizationSettings,
  secrets: OpenedSecrets,
): KnowledgeBaseRuntime | null {
  if (own?.server_url === undefined) return null;
  const token = secrets.get('knowledge_base.api_token') ?? null;
  return {
    serverUrl: own.server_url,
    get apiToken() {
      return reveal(token);
    },
  };
}

function rerankerOf({ reranker: own }: OrganizationSettings, secrets: OpenedSecrets): RerankerRuntime | null {
  if (own?.url === undefined || own.dialect === undefined) return null;
  const key = secrets.get('reranker.api_key') ?? null;
  return {
    dialect: own.dialect,
    url: own.url,
    model: own.model ?? null,
    get apiKey() {
      return reveal(key);
    },
  };
}

function translatorOf({ translator: own }: OrganizationSettings, secrets: OpenedSecrets): TranslatorRuntime | null {
  if (own?.url === undefined || own.dialect === undefined) return null;
  const key = secrets.get('translator.api_key') ?? null;
  return {
    dialect: own.dialect,
    url: own.url,
    get apiKey() {
      return reveal(key);
    },
  };
}

function moodleOf(
  settings: OrganizationSettings,
  environment: Config['moodle'] | null,
  secrets: OpenedSecrets,
): MoodleRuntime | null {
  const own = settings.moodle ?? {};
  const apiUrl = own.api_url ?? environment?.apiUrl ?? null;
  if (apiUrl === null) return null;
  const trusted = own.api_url === undefined;
  const token =
    own.token === undefined && trusted ? (environment?.token ?? null) : (secrets.get('moodle.token') ?? null);
  return {
    apiUrl,
    get token() {
      return reveal(token);
    },
    trusted,
  };
}

function mcpServersOf({ mcp }: OrganizationSettings, secrets: OpenedSecrets): Map<string, McpServerRuntime> {
  const servers = new Map<string, McpServerRuntime>();
  for (const [name, { enabled, url }] of Object.entries(mcp?.servers ?? {})) {
    if (enabled !== true || url === undefined) continue;
    const token = secrets.get(`mcp.servers.${name}.token`) ?? null;
    servers.set(name, {
      name,
      url,
      get token() {
        return reveal(token);
      },
    });
  }
  return servers;
}

/** Features are on by default, except those of `OPT_IN_FEATURES`. */
export const featuresOf = (settings: OrganizationSettings): Features =>
  Object.fromEntries(FEATURES.map((name) => [name, settings.features?.[name] ?? !OPT_IN_FEATURES.has(name)])) as Record<
    (typeof FEATURES)[number],
    boolean
  >;

export const privacyOf = ({ privacy: { retention = {}, ...own } = {} }: OrganizationSettings): PrivacyRuntime => ({
  vendor_user_ids: own.vendor_user_ids ?? 'as_sent',
  usage_people: own.usage_people ?? 'named',
  retention: {
    runs_days: retention.runs_days ?? null,
    run_contents_days: retention.run_contents_days ?? null,
    conversations_days: retention.conversations_days ?? null,
    uploads_days: retention.uploads_days ?? null,
    audit_days: retention.audit_days ?? null,
  },
});

/** The environment fills gaps of the system organization only. */
export function buildRuntime(
  organization: OrganizationEntity,
  config: Pick<Config, 'vendors' | 'moodle'>,
  secrets: OpenedSecrets,
): OrganizationRuntime {
  const { id, slug, name, isSystem, settings } = organization;
  return {
    id,
    slug,
    name,
    isSystem,
    providers: providersOf(organization, config, secrets),
    models: settings.models ?? [],
    defaultModel: settings.default_model ?? null,
    knowledgeBase: knowledgeBaseOf(settings, secrets),
    reranker: rerankerOf(settings, secrets),
    translator: translatorOf(settings, secrets),
    moodle: moodleOf(settings, isSystem ? config.moodle : null, secrets),
    mcpServers: mcpServersOf(settings, secrets),
    features: featuresOf(settings),
    limits: settings.limits ?? {},
    privacy: privacyOf(settings),
    prices: settings.prices ?? {},
  };
}
