import type { Features, ModelChoice, RetentionKind, UsagePeople, VendorUserIds } from '../settings/settings.types';
import type { LimitSettings, PriceSettings } from '../settings/limit.types';

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
