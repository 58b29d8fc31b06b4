import type { JsonObject } from '../../kernel';

export const FEATURES = [
  'multi_tool',
  'functions',
  'planned',
  'sharing',
  'publishing',
  'assistants_export',
  'assistants_import',
  'members_can_use_all',
] as const;
export type Feature = (typeof FEATURES)[number];
export type Features = Readonly<Record<Feature, boolean>>;

/** Features that an organization has to switch on: they open its assistants, or let its questions leave it. */
export const OPT_IN_FEATURES: ReadonlySet<Feature> = new Set<Feature>([
  'assistants_export',
  'assistants_import',
  'members_can_use_all',
]);

/** A model by provider name and the provider's name for it. */
export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
}

/** One model vendor as an organization sets it. `api_key` is sealed in storage and never answered. */
export interface ProviderSettings {
  readonly enabled?: boolean;
  readonly api_key?: string;
  readonly base_url?: string;
  readonly models?: readonly string[];
  readonly default_model?: string;
  readonly fast_model?: string;
  readonly tool_use_model?: string;
}

export interface KnowledgeBaseSettings {
  readonly server_url?: string;
  readonly api_token?: string;
}

export interface MoodleSettings {
  readonly api_url?: string;
  readonly token?: string;
}

/** A server of the Model Context Protocol whose tools assistants may offer to their model; off until it is enabled. */
export interface McpServerSettings {
  readonly url?: string;
  readonly token?: string;
  readonly enabled?: boolean;
}

export interface McpSettings {
  readonly servers?: Readonly<Record<string, McpServerSettings>>;
}

/** The document in `organizations.settings`: what the organization set, nothing defaulted, secrets sealed. */
export interface OrganizationSettings {
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly models?: readonly string[];
  readonly default_model?: ModelChoice;
  readonly knowledge_base?: KnowledgeBaseSettings;
  readonly moodle?: MoodleSettings;
  readonly mcp?: McpSettings;
  readonly features?: Partial<Features>;
  readonly limits?: JsonObject;
}

/** Parts that are readable on their own under `/{slug}/{part}`. */
export const SETTINGS_PARTS = [
  'providers',
  'models',
  'default_model',
  'knowledge_base',
  'moodle',
  'mcp',
  'features',
  'limits',
] as const;
export type SettingsPart = (typeof SETTINGS_PARTS)[number];

/** Where secrets stand in the settings, and the URL that each may be sent to. */
export interface SecretSlot {
  /** Path of the secret's owner, e.g. `['providers', 'openai']`. */
  readonly at: readonly string[];
  readonly secret: 'api_key' | 'api_token' | 'token';
  readonly url: 'base_url' | 'server_url' | 'api_url' | 'url';
}

export const fieldOf = (slot: SecretSlot): string => [...slot.at, slot.secret].join('.');
