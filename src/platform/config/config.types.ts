import type { SecretKey } from './parsers';

/** The whole configuration: read once at start, validated, frozen. */
export interface Config {
  readonly env: 'production' | 'development' | 'test';
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly publicUrl: string | null;
    readonly shutdownTimeoutMs: number;
    readonly trustedProxies: { readonly cidrs: readonly string[]; readonly secret: string | null };
  };
  readonly log: { readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' };
  /** `url` null: the embedded database in `dataDir`, which also holds files and generated keys. */
  readonly database: { readonly url: string | null; readonly dataDir: string; readonly poolSize: number };
  readonly bootstrap: { readonly adminKey: string | null; readonly seedDemo: boolean };
  readonly providers: {
    readonly openai: { readonly apiKey: string | null; readonly baseUrl: string };
    readonly ollama: { readonly baseUrl: string | null };
    readonly anthropic: { readonly apiKey: string | null; readonly baseUrl: string };
    readonly google: { readonly apiKey: string | null; readonly baseUrl: string };
  };
  readonly moodle: { readonly apiUrl: string | null; readonly token: string | null };
  readonly weather: { readonly apiUrl: string };
  readonly oidc: {
    readonly issuer: string | null;
    readonly clientId: string | null;
    readonly clientSecret: string | null;
    readonly audience: string | null;
    readonly roleClaim: string | null;
  };
  /** Newest first; empty: a key is generated into `dataDir`. */
  readonly secrets: { readonly keys: readonly SecretKey[] };
  readonly sourceLinks: { readonly ttlSeconds: number };
  readonly imageLinks: { readonly ttlSeconds: number };
  readonly tools: {
    readonly defaultTimeoutMs: number;
    readonly maxRetries: number;
    readonly retryBackoff: 'exponential' | 'fixed';
    /** Before the first retry. */
    readonly retryDelayMs: number;
    readonly parallelLimit: number;
    /** Of runs with functions: model requests that may ask for functions, time and tokens of the whole run. */
    readonly maxRounds: number;
    readonly runTimeoutMs: number;
    readonly runTokens: number;
    readonly cacheEnabled: boolean;
    readonly cacheTtlMs: number;
    readonly cacheBytes: number;
  };
  readonly runs: {
    readonly concurrency: number;
    readonly leaseSeconds: number;
    readonly retentionDays: number;
    /** Streams of events open at once. */
    readonly streams: { readonly process: number; readonly organization: number; readonly person: number };
  };
  readonly planner: {
    readonly vendor: 'heuristic' | 'openai' | 'anthropic' | 'ollama';
    readonly model: string | null;
    readonly temperature: number;
    readonly timeoutMs: number;
    /** Helps the heuristic planner; null: words alone. */
    readonly embedding: { readonly provider: string; readonly model: string } | null;
  };
  /** Limits of reading one document; see the variables. */
  readonly extraction: {
    readonly processes: number;
    readonly timeoutMs: number;
    readonly memoryMb: number;
    readonly maxBytes: number;
    readonly maxPages: number;
    readonly maxCharacters: number;
    readonly maxExpansion: number;
  };
  readonly ingestion: { readonly concurrency: number };
  readonly jobs: { readonly leaseSeconds: number };
  readonly outbound: { readonly allow: readonly string[] };
  readonly migration: { readonly policy: 'manual' | 'on_access' };
}
