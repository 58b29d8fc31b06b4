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
  'local_sign_in',
] as const;
export type Feature = (typeof FEATURES)[number];
export type Features = Readonly<Record<Feature, boolean>>;

/** Off by default: they open assistants to others, or let questions leave the organization. */
export const OPT_IN_FEATURES: ReadonlySet<Feature> = new Set<Feature>([
  'assistants_export',
  'assistants_import',
  'members_can_use_all',
]);

export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
}

/** Settings of one vendor. `api_key` is encrypted in storage and never answered. */
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

/** An MCP server with tools for assistants; off by default. */
export interface McpServerSettings {
  readonly url?: string;
  readonly token?: string;
  readonly enabled?: boolean;
}

export interface McpSettings {
  readonly servers?: Readonly<Record<string, McpServerSettings>>;
}

/** The document in `organizations.settings`: without defaults, secrets encrypted. */
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

/** Parts with a route of their own: `/{slug}/{part}`. */
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

/** Place of a secret in the settings, and the URL that it may be sent to. */
export interface SecretSlot {
  /** Path of the object with the secret, e.g. `["providers", "openai"]`. */
  readonly at: readonly string[];
  readonly secret: 'api_key' | 'api_token' | 'token';
  readonly url: 'base_url' | 'server_url' | 'api_url' | 'url';
}

export const fieldOf = (slot: SecretSlot): string => [...slot.at, slot.secret].join('.');
