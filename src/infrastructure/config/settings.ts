import {
  LOG_LEVELS,
  type Parser,
  bool,
  bucketName,
  cidrs,
  domains,
  extensions,
  headerPairs,
  httpUrl,
  integer,
  key,
  keyPrefix,
  keyring,
  list,
  moduleLevels,
  number,
  oneOf,
  origins,
  path,
  providerModel,
  roleMap,
  rootUrl,
  text,
  textMap,
  url,
  vendorOr,
} from './parsers';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Variable<T> {
  readonly name: string;
  readonly parse: Parser<T>;
  /** Default, as written in the environment. Undefined: the value is null while the variable is unset. */
  readonly fallback: string | undefined;
  /** Must be set when `NODE_ENV=production`. */
  readonly production: boolean;
}

/** Written as in `.env.example`: `PORT=3000` has a default, `PUBLIC_URL` is null while it is unset. */
export function variable<T, const Line extends string>(
  line: Line,
  parse: Parser<T>,
  { production = false } = {},
): Variable<Line extends `${string}=${string}` ? T : T | null> {
  const [name = '', ...rest] = line.split('=');
  const fallback = rest.length === 0 ? undefined : rest.join('=');
  return { name, parse, fallback, production };
}

export const valueIn = (env: Environment, name: string): string | undefined => {
  const given = env[name]?.trim();
  return given === '' ? undefined : given;
};

export type VariableGroup = { readonly [member: string]: Variable<unknown> | VariableGroup };

export const isVariable = (entry: Variable<unknown> | VariableGroup): entry is Variable<unknown> =>
  typeof entry['parse'] === 'function';

/** Every variable of a group, in order. */
export const variablesOf = (group: VariableGroup): readonly Variable<unknown>[] =>
  Object.values(group).flatMap((entry) => (isVariable(entry) ? [entry] : variablesOf(entry)));

/** The shape of a group with values in place of its variables. */
export type ValuesOf<Group> = {
  readonly [Member in keyof Group]: Group[Member] extends Variable<infer T> ? T : ValuesOf<Group[Member]>;
};

const PRODUCTION = { production: true } as const;

/**
 * Every variable of the service at its place in `Config`; `.env.example` says what each is for. Connectors declare the
 * variables of their vendors.
 */
export const SETTINGS = {
  env: variable('NODE_ENV=development', oneOf('production', 'development', 'test')),
  /** The extensions that are on. */
  extensions: variable('BELLWETHER_EXTENSIONS=all', extensions()),
  /** Folders, files and packages whose plugins join the service's own. */
  plugins: variable('BELLWETHER_PLUGINS=', list()),
  http: {
    host: variable('HOST=127.0.0.1', text()),
    port: variable('PORT=3000', integer(0, 65_535)),
    publicUrl: variable('PUBLIC_URL', rootUrl(), PRODUCTION),
    /** Sites that may show the chat of an assistant in a frame, beside the service's own. */
    frameAncestors: variable('FRAME_ANCESTORS=', origins()),
    shutdownTimeoutMs: variable('SHUTDOWN_TIMEOUT=30000', integer(0, 600_000)),
    trustedProxies: {
      cidrs: variable('TRUSTED_PROXY_CIDRS=', cidrs()),
      secret: variable('TRUSTED_PROXY_SECRET', text()),
    },
  },
  log: {
    level: variable('LOG_LEVEL=info', oneOf(...LOG_LEVELS)),
    /** Levels by the `module` of a log line; all others have `level`. */
    modules: variable('LOG_LEVELS=', moduleLevels()),
  },
  /** `port` and `token` null: nobody reads metrics, and none are counted. */
  metrics: {
    port: variable('METRICS_PORT', integer(0, 65_535)),
    token: variable('METRICS_TOKEN', key('', 32)),
    /** Organizations that have series of their own. */
    organizations: variable('METRICS_ORGANIZATIONS=0', integer(0, 500)),
  },
  /** Names of the OpenTelemetry specification. `endpoint` null: no traces. */
  tracing: {
    endpoint: variable('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl()),
    headers: variable('OTEL_EXPORTER_OTLP_HEADERS=', headerPairs()),
    service: variable('OTEL_SERVICE_NAME=bellwether', text()),
    /** Share of the traces that begin here. */
    ratio: variable('OTEL_TRACES_SAMPLER_ARG=1', number(0, 1)),
    /** Spans carry questions, answers and results of tools. */
    contents: variable('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=false', bool()),
  },
  database: {
    /** Null: the embedded database in `dataDir`, which also holds files and generated keys. */
    url: variable('DATABASE_URL', url('postgres:', 'postgresql:'), PRODUCTION),
    /** Login that owns the tables; null: the one of `url`. */
    ownerUrl: variable('DATABASE_OWNER_URL', url('postgres:', 'postgresql:')),
    /** The server itself, when `url` names a pooler in transaction mode; null: `url` keeps sessions. */
    sessionUrl: variable('DATABASE_SESSION_URL', url('postgres:', 'postgresql:')),
    poolSize: variable('DATABASE_POOL_SIZE=10', integer(1, 500)),
    dataDir: variable('DATA_DIR=./data', path()),
  },
  bootstrap: {
    adminKey: variable('BOOTSTRAP_ADMIN_KEY', key('bw_', 32)),
    /** Null: yes with the embedded database. */
    seedDemo: variable('SEED_DEMO', bool()),
  },
  files: {
    /** Place of new uploads. Each stored name tells its own place. */
    store: variable('FILES_STORE=disk', oneOf('disk', 's3')),
    /** `bucket` null: no bucket. `endpoint` null: Amazon's. Keys null: the default credential chain of the SDK. */
    s3: {
      endpoint: variable('S3_ENDPOINT', httpUrl()),
      region: variable('S3_REGION=us-east-1', text()),
      bucket: variable('S3_BUCKET', bucketName()),
      /** Empty, or ends in a slash. */
      prefix: variable('S3_PREFIX=', keyPrefix()),
      accessKeyId: variable('S3_ACCESS_KEY_ID', text()),
      secretAccessKey: variable('S3_SECRET_ACCESS_KEY', text()),
      pathStyle: variable('S3_PATH_STYLE=false', bool()),
      timeoutMs: variable('S3_TIMEOUT=30000', integer(100, 600_000)),
    },
  },
  /** Newest first; empty: a key is generated into `dataDir`. */
  secrets: { keys: variable('SECRETS_KEY=', keyring(), PRODUCTION) },
  /** Life of a browser's session that no identity provider opened, from sign-in and without a request. */
  sessions: {
    days: variable('SESSION_DAYS=30', integer(1, 365)),
    idleDays: variable('SESSION_IDLE_DAYS=14', integer(1, 365)),
  },
  sourceLinks: { ttlSeconds: variable('SOURCE_LINK_TTL=900', integer(60, 2_592_000)) },
  sources: { timeoutMs: variable('SOURCE_TIMEOUT=30000', integer(100, 600_000)) },
  imageLinks: { ttlSeconds: variable('IMAGE_LINK_TTL=31536000', integer(60, 315_360_000)) },
  moodle: { apiUrl: variable('MOODLE_API_URL', httpUrl()), token: variable('MOODLE_TOKEN', text()) },
  weather: { apiUrl: variable('WEATHER_API_URL=https://api.open-meteo.com', httpUrl()) },
  /** `smtpUrl` null: the service sends no mail. */
  mail: { smtpUrl: variable('SMTP_URL', url('smtp:', 'smtps:')), from: variable('MAIL_FROM', text()) },
  oidc: {
    issuer: variable('OIDC_ISSUER', httpUrl()),
    clientId: variable('OIDC_CLIENT_ID', text()),
    clientSecret: variable('OIDC_CLIENT_SECRET', text()),
    audience: variable('OIDC_AUDIENCE', text()),
    roleClaim: variable('OIDC_ROLE_CLAIM', text()),
    /** Role by value of the role claim. */
    roles: variable('OIDC_ROLES=', roleMap()),
    groupsClaim: variable('OIDC_GROUPS_CLAIM', text()),
    /** Null: the groups of the claim are only kept. */
    groupMatch: variable('OIDC_GROUP_MATCH', oneOf('external_id', 'name')),
    defaultRole: variable('OIDC_DEFAULT_ROLE=member', oneOf('member', 'teacher', 'admin', 'owner', 'none')),
    organizationClaim: variable('OIDC_ORGANIZATION_CLAIM', text()),
    /** Slug by value of that claim. */
    organizations: variable('OIDC_ORGANIZATIONS=', textMap()),
    /** Slug by domain of a verified address. */
    emailDomains: variable('OIDC_EMAIL_DOMAINS=', textMap()),
    /** Claim that is the `externalId` of a directory. */
    externalIdClaim: variable('OIDC_EXTERNAL_ID_CLAIM', text()),
    name: variable('OIDC_NAME=Single sign-on', text()),
    scopes: variable('OIDC_SCOPES=openid email profile', text()),
    signingAlgorithm: variable('OIDC_SIGNING_ALGORITHM=RS256', oneOf('RS256', 'PS256', 'ES256', 'ES384', 'EdDSA')),
    accessTokenType: variable('OIDC_ACCESS_TOKEN_TYPE=any', oneOf('any', 'at+jwt')),
    userinfo: variable('OIDC_USERINFO=false', bool()),
    accounts: variable('OIDC_ACCOUNTS=just_in_time', oneOf('just_in_time', 'invitation')),
    linkVerifiedEmail: variable('OIDC_LINK_VERIFIED_EMAIL=false', bool()),
    trustedDomains: variable('OIDC_TRUSTED_DOMAINS=', domains()),
    listed: variable('OIDC_LISTED=true', bool()),
    listedForEverybody: variable('OIDC_LISTED_FOR_EVERYBODY=true', bool()),
    signInDomains: variable('OIDC_SIGN_IN_DOMAINS=', domains()),
    forAll: variable('OIDC_FOR_ALL=false', bool()),
  },
  migration: { policy: variable('MIGRATION_POLICY=manual', oneOf('manual', 'on_access')) },
  tools: {
    defaultTimeoutMs: variable('TOOL_DEFAULT_TIMEOUT=30000', integer(1, 3_600_000)),
    rerankTimeoutMs: variable('RERANK_TIMEOUT=3000', integer(100, 60_000)),
    translateTimeoutMs: variable('TRANSLATE_TIMEOUT=3000', integer(100, 60_000)),
    maxRetries: variable('TOOL_MAX_RETRIES=3', integer(0, 10)),
    retryBackoff: variable('TOOL_RETRY_BACKOFF=exponential', oneOf('exponential', 'fixed')),
    /** Before the first retry. */
    retryDelayMs: variable('TOOL_RETRY_DELAY=1000', integer(1, 60_000)),
    parallelLimit: variable('TOOL_PARALLEL_LIMIT=5', integer(1, 100)),
    /** Rounds in which the model may call functions. `runTimeoutMs` and `runTokens` bound the same runs. */
    maxRounds: variable('TOOL_MAX_ROUNDS=5', integer(1, 50)),
    runTimeoutMs: variable('TOOL_RUN_TIMEOUT=300000', integer(1_000, 3_600_000)),
    runTokens: variable('TOOL_RUN_TOKENS=500000', integer(1, 100_000_000)),
    cacheEnabled: variable('TOOL_RESULT_CACHE_ENABLED=true', bool()),
    cacheTtlMs: variable('TOOL_RESULT_CACHE_TTL=300', integer(0, 86_400, 1_000)),
    cacheBytes: variable('TOOL_RESULT_CACHE_MEMORY=64', integer(1, 65_536, 1_024 * 1_024)),
  },
  planner: {
    vendor: variable('TOOL_PLANNER_LLM=heuristic', vendorOr('heuristic')),
    model: variable('TOOL_PLANNER_MODEL', text()),
    temperature: variable('TOOL_PLANNER_TEMPERATURE=0.3', number(0, 2)),
    timeoutMs: variable('TOOL_PLANNER_TIMEOUT=2000', integer(1, 60_000)),
    /** Helps the heuristic planner; null: words alone. */
    embedding: variable('TOOL_PLANNER_EMBEDDING', providerModel()),
  },
  runs: {
    concurrency: variable('RUN_CONCURRENCY=32', integer(1, 1_000)),
    leaseSeconds: variable('RUN_LEASE=15', integer(2, 600)),
    retentionDays: variable('RUN_RETENTION=90', integer(1, 36_500)),
    /** Completions that one process answers at a time, and those that wait. `process` null: by the heap limit. */
    completions: {
      process: variable('RUN_COMPLETIONS', integer(1, 100_000)),
      waiting: variable('RUN_COMPLETIONS_WAITING=1000', integer(0, 100_000)),
      waitMs: variable('RUN_COMPLETIONS_WAIT=10000', integer(1, 30_000)),
      person: variable('RUN_COMPLETIONS_PER_PERSON=50', integer(1, 100_000)),
    },
    /** Event streams that one process keeps open. */
    streams: {
      process: variable('RUN_STREAMS=2000', integer(1, 100_000)),
      organization: variable('RUN_STREAMS_PER_ORGANIZATION=200', integer(1, 100_000)),
      person: variable('RUN_STREAMS_PER_PERSON=8', integer(1, 100_000)),
    },
  },
  /** New completions are refused while the event loop lags by more than this and at least eight answers are in progress; 0: never. */
  eventLoop: { delayLimitMs: variable('EVENT_LOOP_DELAY_LIMIT=200', integer(0, 60_000)) },
  /** Limits of reading one document. */
  extraction: {
    processes: variable('EXTRACTION_PROCESSES=2', integer(1, 16)),
    timeoutMs: variable('EXTRACTION_TIMEOUT=60000', integer(100, 3_600_000)),
    memoryMb: variable('EXTRACTION_MEMORY=768', integer(128, 65_536)),
    maxBytes: variable('EXTRACTION_MAX_BYTES=33554432', integer(1, 1_073_741_824)),
    maxPages: variable('EXTRACTION_MAX_PAGES=2000', integer(1, 1_000_000)),
    maxCharacters: variable('EXTRACTION_MAX_CHARACTERS=20000000', integer(1, 100_000_000)),
    maxExpansion: variable('EXTRACTION_MAX_EXPANSION=100', integer(1, 100_000)),
  },
  /** Null: the service embeds nothing itself. */
  embeddingFolder: variable('EMBEDDING_FOLDER', path()),
  ingestion: { concurrency: variable('INGESTION_CONCURRENCY=2', integer(1, 32)) },
  jobs: { leaseSeconds: variable('JOB_LEASE=30', integer(3, 600)) },
  outbound: { allow: variable('OUTBOUND_ALLOW=', list()) },
} as const;
