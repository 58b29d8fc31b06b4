import { resolve } from 'node:path';
import { VARIABLES, type Values, type VariableName } from './variables';
import type { Config } from './config.types';

/** One line per variable that stops the start; never holds a value. */
export class ConfigError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(`The configuration is not valid:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

function readOne(name: VariableName, env: Environment, production: boolean): { value: unknown } | { problem: string } {
  const variable = VARIABLES[name];
  const given = env[name]?.trim();
  const written = given === undefined || given === '' ? variable.fallback : given;
  if (written === undefined) {
    return production && variable.production === true
      ? { problem: `${name} must be set when NODE_ENV=production` }
      : { value: null };
  }
  const parsed = variable.parse(written);
  return 'allowed' in parsed ? { problem: `${name} must be ${parsed.allowed}` } : parsed;
}

function readAll(env: Environment): Values {
  const production = env['NODE_ENV'] === 'production';
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(VARIABLES) as VariableName[]) {
    const read = readOne(name, env, production);
    if ('problem' in read) problems.push(read.problem);
    else values[name] = read.value;
  }
  if (values['TRUSTED_PROXY_CIDRS'] != null && values['TRUSTED_PROXY_SECRET'] == null) {
    problems.push('TRUSTED_PROXY_SECRET must be set when TRUSTED_PROXY_CIDRS is');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as Values;
}

/** Values that a fallback or the parser guarantees. */
const given = <T>(value: T | null): T => value as T;

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value) || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/**
 * Reads, validates and freezes the configuration.
 * @throws ConfigError naming every bad variable at once.
 */
export function loadConfig(env: Environment): Config {
  const v = readAll(env);
  return freeze<Config>({
    env: given(v.NODE_ENV),
    http: {
      host: given(v.HOST),
      port: given(v.PORT),
      publicUrl: v.PUBLIC_URL,
      shutdownTimeoutMs: given(v.SHUTDOWN_TIMEOUT),
      trustedProxies: { cidrs: v.TRUSTED_PROXY_CIDRS ?? [], secret: v.TRUSTED_PROXY_SECRET },
    },
    log: { level: given(v.LOG_LEVEL) },
    database: { url: v.DATABASE_URL, dataDir: resolve(given(v.DATA_DIR)), poolSize: given(v.DATABASE_POOL_SIZE) },
    bootstrap: { adminKey: v.BOOTSTRAP_ADMIN_KEY, seedDemo: v.SEED_DEMO ?? v.DATABASE_URL === null },
    providers: {
      openai: { apiKey: v.OPENAI_API_KEY, baseUrl: given(v.OPENAI_BASE_URL) },
      ollama: { baseUrl: v.OLLAMA_BASE_URL },
      anthropic: { apiKey: v.ANTHROPIC_API_KEY, baseUrl: given(v.ANTHROPIC_BASE_URL) },
      google: { apiKey: v.GOOGLE_API_KEY, baseUrl: given(v.GOOGLE_BASE_URL) },
    },
    moodle: { apiUrl: v.MOODLE_API_URL, token: v.MOODLE_TOKEN },
    weather: { apiUrl: given(v.WEATHER_API_URL) },
    oidc: {
      issuer: v.OIDC_ISSUER,
      clientId: v.OIDC_CLIENT_ID,
      clientSecret: v.OIDC_CLIENT_SECRET,
      audience: v.OIDC_AUDIENCE,
      roleClaim: v.OIDC_ROLE_CLAIM,
    },
    secrets: { keys: v.SECRETS_KEY ?? [] },
    sourceLinks: { ttlSeconds: given(v.SOURCE_LINK_TTL) },
    imageLinks: { ttlSeconds: given(v.IMAGE_LINK_TTL) },
    tools: {
      defaultTimeoutMs: given(v.TOOL_DEFAULT_TIMEOUT),
      maxRetries: given(v.TOOL_MAX_RETRIES),
      retryBackoff: given(v.TOOL_RETRY_BACKOFF),
      retryDelayMs: given(v.TOOL_RETRY_DELAY),
      parallelLimit: given(v.TOOL_PARALLEL_LIMIT),
      maxRounds: given(v.TOOL_MAX_ROUNDS),
      runTimeoutMs: given(v.TOOL_RUN_TIMEOUT),
      runTokens: given(v.TOOL_RUN_TOKENS),
      cacheEnabled: given(v.TOOL_RESULT_CACHE_ENABLED),
      cacheTtlMs: given(v.TOOL_RESULT_CACHE_TTL) * 1000,
      cacheBytes: given(v.TOOL_RESULT_CACHE_MEMORY) * 1024 * 1024,
    },
    runs: {
      concurrency: given(v.RUN_CONCURRENCY),
      leaseSeconds: given(v.RUN_LEASE),
      retentionDays: given(v.RUN_RETENTION),
      streams: {
        process: given(v.RUN_STREAMS),
        organization: given(v.RUN_STREAMS_PER_ORGANIZATION),
        person: given(v.RUN_STREAMS_PER_PERSON),
      },
    },
    planner: {
      vendor: v.TOOL_PLANNER_LLM ?? 'heuristic',
      model: v.TOOL_PLANNER_MODEL,
      temperature: given(v.TOOL_PLANNER_TEMPERATURE),
      timeoutMs: given(v.TOOL_PLANNER_TIMEOUT),
      embedding: v.TOOL_PLANNER_EMBEDDING,
    },
    extraction: {
      processes: given(v.EXTRACTION_PROCESSES),
      timeoutMs: given(v.EXTRACTION_TIMEOUT),
      memoryMb: given(v.EXTRACTION_MEMORY),
      maxBytes: given(v.EXTRACTION_MAX_BYTES),
      maxPages: given(v.EXTRACTION_MAX_PAGES),
      maxCharacters: given(v.EXTRACTION_MAX_CHARACTERS),
      maxExpansion: given(v.EXTRACTION_MAX_EXPANSION),
    },
    ingestion: { concurrency: given(v.INGESTION_CONCURRENCY) },
    jobs: { leaseSeconds: given(v.JOB_LEASE) },
    outbound: { allow: given(v.OUTBOUND_ALLOW) },
    migration: { policy: given(v.MIGRATION_POLICY) },
  });
}
