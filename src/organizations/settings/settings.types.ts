export const RULE_SUBJECTS = ['organization', 'group', 'person', 'key', 'assistant'] as const;
export type RuleSubject = (typeof RULE_SUBJECTS)[number];

/** `runs` and `streams` are concurrent, `cost` is in the organization's currency, `storage` in bytes. */
export const RULE_LIMITS = ['requests', 'runs', 'streams', 'tokens', 'cost', 'storage'] as const;
export type RuleLimit = (typeof RULE_LIMITS)[number];

/** All windows are in UTC. */
export const RULE_WINDOWS = ['minute', 'day', 'month', 'term'] as const;
export type RuleWindow = (typeof RULE_WINDOWS)[number];

export const RULE_ENDINGS = ['stop', 'fast_model', 'teachers_only'] as const;
export type RuleEnding = (typeof RULE_ENDINGS)[number];

export interface LimitRule {
  readonly id: string;
  /** Without `id` the rule counts each person, group, key or assistant for itself. */
  readonly for: { readonly kind: RuleSubject; readonly id?: string };
  readonly limit: RuleLimit;
  readonly amount: number;
  /** Absent for `runs`, `streams` and `storage`. */
  readonly per?: RuleWindow;
  /** `stop` when absent. */
  readonly at_end?: RuleEnding;
  /** Only system administrators may change or remove the rule. */
  readonly locked?: boolean;
}

/** Both days belong to the term: `YYYY-MM-DD`. */
export interface Term {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Price per million tokens from a day on. */
export interface ModelPrice {
  readonly provider: string;
  readonly model: string;
  /** `YYYY-MM-DD`; the price with the latest day that is not in the future counts. */
  readonly from: string;
  readonly input: number;
  readonly output: number;
  /** Prompt tokens that the vendor read from its cache; absent: as `input`. */
  readonly cached_input?: number;
}

export interface PriceSettings {
  /** ISO 4217 */
  readonly currency?: string;
  readonly models?: readonly ModelPrice[];
}

/** Settings of calls between assistants, rules and terms. */
export interface LimitSettings {
  readonly assistant_calls?: Readonly<Record<string, number>>;
  readonly rules?: readonly LimitRule[];
  readonly terms?: readonly Term[];
  /** Share of the places for answers while they are scarce; 1 when absent. Only system administrators may change it. */
  readonly weight?: number;
  readonly [other: string]: unknown;
}

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
  'tests_before_publishing',
  'owners_override_tests',
] as const;
export type Feature = (typeof FEATURES)[number];
export type Features = Readonly<Record<Feature, boolean>>;

/** Off by default: they open assistants to others, let questions leave the organization, or stop publications. */
export const OPT_IN_FEATURES: ReadonlySet<Feature> = new Set<Feature>([
  'assistants_export',
  'assistants_import',
  'members_can_use_all',
  'tests_before_publishing',
  'owners_override_tests',
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

/** A vendor's endpoint that sorts passages by how well they answer a question. */
export interface RerankerSettings {
  /** Wire format: the name of a dialect in `infrastructure/dialects`. */
  readonly dialect?: string;
  readonly url?: string;
  readonly api_key?: string;
  readonly model?: string;
}

/** A service that translates questions into the language of the material. */
export interface TranslatorSettings {
  /** Wire format: the name of a dialect in `infrastructure/dialects`. */
  readonly dialect?: string;
  readonly url?: string;
  readonly api_key?: string;
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

/**
 * Identifiers of people in requests to vendors of models. `as_sent`: `user` and `metadata` of the client are passed on.
 * `none`: they are removed. `pseudonymous`: a pseudonym takes their place.
 */
export const VENDOR_USER_IDS = ['as_sent', 'none', 'pseudonymous'] as const;
export type VendorUserIds = (typeof VENDOR_USER_IDS)[number];

export const USAGE_PEOPLE = ['named', 'pseudonymous'] as const;
export type UsagePeople = (typeof USAGE_PEOPLE)[number];

/** Shortest retention in days that an organization may choose, by kind of data. */
export const MIN_RETENTION_DAYS = {
  runs_days: 1,
  run_contents_days: 1,
  conversations_days: 1,
  uploads_days: 7,
  audit_days: 30,
} as const;
export type RetentionKind = keyof typeof MIN_RETENTION_DAYS;
/** Days after which each kind of data is deleted; an absent member keeps it. */
export type RetentionSettings = Readonly<Partial<Record<RetentionKind, number>>>;

export interface PrivacySettings {
  readonly vendor_user_ids?: VendorUserIds;
  readonly usage_people?: UsagePeople;
  readonly retention?: RetentionSettings;
}

/** The document in `organizations.settings`: without defaults, secrets encrypted. */
export interface OrganizationSettings {
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly models?: readonly string[];
  readonly default_model?: ModelChoice;
  readonly knowledge_base?: KnowledgeBaseSettings;
  readonly reranker?: RerankerSettings;
  readonly translator?: TranslatorSettings;
  readonly moodle?: MoodleSettings;
  readonly mcp?: McpSettings;
  readonly features?: Partial<Features>;
  readonly privacy?: PrivacySettings;
  readonly limits?: LimitSettings;
  readonly prices?: PriceSettings;
}

/** Parts with a route of their own: `/{slug}/{part}`. */
export const SETTINGS_PARTS = [
  'providers',
  'models',
  'default_model',
  'knowledge_base',
  'reranker',
  'translator',
  'moodle',
  'mcp',
  'features',
  'limits',
  'privacy',
  'prices',
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
