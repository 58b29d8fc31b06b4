import {
  bool,
  cidrs,
  integer,
  key,
  keyring,
  list,
  number,
  providerModel,
  oneOf,
  text,
  url,
  type Parser,
} from './parsers';

export interface Variable<T> {
  readonly parse: Parser<T>;
  /** As it would be written in the environment; undefined means "unset". */
  readonly fallback?: string;
  /** Must be set when `NODE_ENV=production`. */
  readonly production?: boolean;
  readonly about: string;
}

const variable = <T>(
  parse: Parser<T>,
  about: string,
  options: Omit<Variable<T>, 'parse' | 'about'> = {},
): Variable<T> => ({
  parse,
  about,
  ...options,
});

/** Every environment variable of the service, in the order of `.env.example`; nothing else of it reads the environment. */
export const VARIABLES = {
  NODE_ENV: variable(
    oneOf('production', 'development', 'test'),
    'Production refuses to start without a database, secrets and PUBLIC_URL.',
    { fallback: 'development' },
  ),
  HOST: variable(text(), 'Address to listen on; 0.0.0.0 for every interface.', { fallback: '127.0.0.1' }),
  PORT: variable(integer(0, 65535), 'Port to listen on; 0 takes a free one.', { fallback: '3000' }),
  PUBLIC_URL: variable(
    url('http:', 'https:'),
    'Address that users see, when it differs from HOST and PORT; https, or sessions travel in the clear.',
    { production: true },
  ),
  LOG_LEVEL: variable(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'Least severe log line written.',
    { fallback: 'info' },
  ),
  SHUTDOWN_TIMEOUT: variable(integer(0, 600_000), 'Milliseconds that streams in flight get to finish after SIGTERM.', {
    fallback: '30000',
  }),
  DATABASE_URL: variable(
    url('postgres:', 'postgresql:'),
    'PostgreSQL server; unset, an embedded PostgreSQL lives in DATA_DIR.',
    { production: true },
  ),
  DATABASE_POOL_SIZE: variable(integer(1, 500), 'Most connections to the database.', { fallback: '10' }),
  DATA_DIR: variable(text(), 'Embedded database, uploaded files and generated keys.', { fallback: './data' }),
  BOOTSTRAP_ADMIN_KEY: variable(
    key('bw_', 32),
    'First administrator key: bw_ and at least 32 characters. Unset: one is made and written to DATA_DIR/admin-key.',
  ),
  SEED_DEMO: variable(
    bool(),
    'Demo assistants and content in the default organization. Unset: yes with the embedded database, no with a server.',
  ),
  SECRETS_KEY: variable(
    keyring(),
    'Keys that encrypt stored secrets, newest first: <kid>:<64 hex digits>[,…]. Unset: one is made in DATA_DIR.',
    { production: true },
  ),
  SOURCE_LINK_TTL: variable(integer(60, 2_592_000), 'Seconds that a link to the original document of a source works.', {
    fallback: '900',
  }),
  IMAGE_LINK_TTL: variable(
    integer(60, 315_360_000),
    'Seconds that the link to a generated image works; chats that show it are read long after they were written.',
    { fallback: '31536000' },
  ),
  OPENAI_API_KEY: variable(text(), 'OpenAI key of the default organization.'),
  OPENAI_BASE_URL: variable(url('http:', 'https:'), 'OpenAI-compatible server of the default organization.', {
    fallback: 'https://api.openai.com/v1',
  }),
  ANTHROPIC_API_KEY: variable(text(), 'Anthropic key of the default organization.'),
  ANTHROPIC_BASE_URL: variable(url('http:', 'https:'), 'Where Anthropic answers, or a gateway with the same API.', {
    fallback: 'https://api.anthropic.com',
  }),
  GOOGLE_API_KEY: variable(text(), 'Google (Gemini) key of the default organization; pictures are made with it too.'),
  GOOGLE_BASE_URL: variable(url('http:', 'https:'), 'Where the Gemini API answers, or a gateway with the same API.', {
    fallback: 'https://generativelanguage.googleapis.com',
  }),
  OLLAMA_BASE_URL: variable(
    url('http:', 'https:'),
    'Ollama server of the default organization, e.g. http://localhost:11434.',
  ),
  MOODLE_API_URL: variable(
    url('http:', 'https:'),
    'Moodle of the default organization, e.g. https://moodle.example.edu; others set their own.',
  ),
  MOODLE_TOKEN: variable(text(), 'Web service token for MOODLE_API_URL.'),
  WEATHER_API_URL: variable(url('http:', 'https:'), 'Open-Meteo compatible server, for forecasts and geocoding.', {
    fallback: 'https://api.open-meteo.com',
  }),
  OIDC_ISSUER: variable(
    url('http:', 'https:'),
    'OpenID Connect provider; single sign-on is off without it. No effect yet.',
  ),
  OIDC_CLIENT_ID: variable(text(), 'Client id at the provider. No effect yet.'),
  OIDC_CLIENT_SECRET: variable(text(), 'Client secret at the provider. No effect yet.'),
  OIDC_AUDIENCE: variable(text(), 'Audience that access tokens must carry. No effect yet.'),
  OIDC_ROLE_CLAIM: variable(text(), 'Claim that holds roles or groups, as a dotted path. No effect yet.'),
  MIGRATION_POLICY: variable(
    oneOf('manual', 'on_access'),
    'When stored assistant metadata is taken to the newest version: manual, only when somebody asks; on_access, also when an assistant is read, run or changed.',
    { fallback: 'manual' },
  ),
  TOOL_DEFAULT_TIMEOUT: variable(integer(1, 3_600_000), 'Milliseconds a tool may take.', { fallback: '30000' }),
  TOOL_MAX_RETRIES: variable(integer(0, 10), 'Retries of a failed tool call.', { fallback: '3' }),
  TOOL_RETRY_BACKOFF: variable(oneOf('exponential', 'fixed'), 'How waits between retries grow.', {
    fallback: 'exponential',
  }),
  TOOL_RETRY_DELAY: variable(integer(1, 60_000), 'Milliseconds before the first retry of a failed tool call.', {
    fallback: '1000',
  }),
  TOOL_PARALLEL_LIMIT: variable(integer(1, 100), 'Most tools of one run at once.', { fallback: '5' }),
  TOOL_MAX_ROUNDS: variable(integer(1, 50), 'Most times that a model may ask for functions in one run.', {
    fallback: '5',
  }),
  TOOL_RUN_TIMEOUT: variable(
    integer(1_000, 3_600_000),
    'Milliseconds that a background run, or one with functions or called assistants, may take, checks of its answer included.',
    { fallback: '300000' },
  ),
  TOOL_RUN_TOKENS: variable(
    integer(1, 100_000_000),
    'Tokens after which a run with functions starts no further round, called assistants included.',
    { fallback: '500000' },
  ),
  TOOL_RESULT_CACHE_ENABLED: variable(bool(), 'Reuse results of equal tool calls.', {
    fallback: 'true',
  }),
  TOOL_RESULT_CACHE_TTL: variable(integer(0, 86_400), 'Seconds a tool result is reused.', {
    fallback: '300',
  }),
  TOOL_RESULT_CACHE_MEMORY: variable(integer(1, 65_536), 'Megabytes of tool results that one process keeps.', {
    fallback: '64',
  }),
  TOOL_PLANNER_LLM: variable(
    oneOf('heuristic', 'openai', 'anthropic', 'ollama'),
    'Who plans for the strategy `planned`. Unset: heuristic.',
  ),
  TOOL_PLANNER_MODEL: variable(text(), "Model of the planner. Unset: the organization's fast model, else its default."),
  TOOL_PLANNER_TEMPERATURE: variable(number(0, 2), 'Temperature of the planner.', { fallback: '0.3' }),
  TOOL_PLANNER_TIMEOUT: variable(
    integer(1, 60_000),
    'Milliseconds that a model may take to plan; then the heuristic planner does.',
    { fallback: '2000' },
  ),
  TOOL_PLANNER_EMBEDDING: variable(
    providerModel(),
    'Embedding model, as provider/model, that helps the heuristic planner to choose tools. Unset: words alone.',
  ),
  RUN_CONCURRENCY: variable(integer(1, 1_000), 'Background runs that one process carries out at once.', {
    fallback: '32',
  }),
  RUN_LEASE: variable(
    integer(2, 600),
    'Seconds without a sign of life after which a run counts as lost with its process.',
    { fallback: '15' },
  ),
  RUN_RETENTION: variable(integer(1, 36_500), 'Days that events, reports and sources of runs are kept; figures stay.', {
    fallback: '90',
  }),
  RUN_STREAMS: variable(integer(1, 100_000), 'Streams of events that one process keeps open.', { fallback: '2000' }),
  RUN_STREAMS_PER_ORGANIZATION: variable(integer(1, 100_000), 'Of these for one organization.', { fallback: '200' }),
  RUN_STREAMS_PER_PERSON: variable(
    integer(1, 100_000),
    'Of these for one person; more where one key reads for many people whom it does not name.',
    { fallback: '8' },
  ),
  TRUSTED_PROXY_CIDRS: variable(cidrs(), 'Proxies that may name the end user of a request, e.g. 10.0.0.0/8.'),
  TRUSTED_PROXY_SECRET: variable(text(), 'Shared secret that those proxies send in X-Bellwether-Proxy-Secret.'),
  EXTRACTION_PROCESSES: variable(
    integer(1, 16),
    'Processes that read uploaded documents, one document each at a time.',
    {
      fallback: '2',
    },
  ),
  EXTRACTION_TIMEOUT: variable(integer(100, 3_600_000), 'Milliseconds that reading one document may take.', {
    fallback: '60000',
  }),
  EXTRACTION_MEMORY: variable(integer(128, 65_536), 'Megabytes of memory that one such process may use.', {
    fallback: '768',
  }),
  EXTRACTION_MAX_BYTES: variable(integer(1, 1_073_741_824), 'Largest document that is read, in bytes.', {
    fallback: '33554432',
  }),
  EXTRACTION_MAX_PAGES: variable(integer(1, 1_000_000), 'Most pages of a document.', { fallback: '2000' }),
  EXTRACTION_MAX_CHARACTERS: variable(integer(1, 100_000_000), 'Most characters of text out of one document.', {
    fallback: '20000000',
  }),
  EXTRACTION_MAX_EXPANSION: variable(
    integer(1, 100_000),
    'How many times larger than the file its unpacked content may be; the first 10 MB are free.',
    { fallback: '100' },
  ),
  INGESTION_CONCURRENCY: variable(integer(1, 32), 'Uploaded documents that one process takes in at once.', {
    fallback: '2',
  }),
  JOB_LEASE: variable(
    integer(3, 600),
    'Seconds after which the jobs of a process that died are taken over by another on the same server database.',
    { fallback: '30' },
  ),
  OUTBOUND_ALLOW: variable(
    list(),
    'Hosts, host:port pairs or CIDRs that organizations may reach although their address is private.',
    { fallback: '' },
  ),
} as const;

export type VariableName = keyof typeof VARIABLES;
/** Parsed values; a variable without a fallback is null when unset. */
export type Values = {
  readonly [Name in VariableName]: (typeof VARIABLES)[Name] extends Variable<infer T> ? T | null : never;
};
