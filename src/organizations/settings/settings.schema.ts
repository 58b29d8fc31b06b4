import { RERANK_DIALECT_PLUGINS, TRANSLATION_DIALECT_PLUGINS } from '../../infrastructure/dialects';
import { FEATURES, MIN_RETENTION_DAYS, USAGE_PEOPLE, VENDOR_USER_IDS } from './settings.types';
import { limitsSchema, PLAIN_NAME, pricesSchema } from './limit-problems';

const modelName = { type: 'string', minLength: 1, maxLength: 200 };
const modelNames = { type: 'array', items: modelName, uniqueItems: true, maxItems: 1_000, nullable: true };
const url = { type: 'string', maxLength: 2_000, pattern: '^https?://', nullable: true };
/** Visible ASCII: a secret is sent in a header. */
const secret = { type: 'string', minLength: 1, maxLength: 4_000, pattern: '^[\\x21-\\x7e]+$', nullable: true };
const choice = (required: readonly string[]): object => ({
  type: 'object',
  nullable: true,
  additionalProperties: false,
  required,
  properties: { provider: modelName, model: modelName },
});

/** Ten years: longer than any retention rule that institutions named. */
const MAX_RETENTION_DAYS = 3_660;
const days = ([kind, minimum]: readonly [string, number]): readonly [string, object] => [
  kind,
  { type: 'integer', minimum, maximum: MAX_RETENTION_DAYS, nullable: true },
];
const oneOf = (values: readonly string[]): object => ({ type: 'string', enum: [...values, null], nullable: true });

const privacy = {
  type: 'object',
  nullable: true,
  additionalProperties: false,
  properties: {
    vendor_user_ids: {
      ...oneOf(VENDOR_USER_IDS),
      description: 'Identifiers of people in requests to vendors: as the client sent them, none, or a pseudonym.',
    },
    usage_people: { ...oneOf(USAGE_PEOPLE), description: 'Whether usage by person shows names or pseudonyms.' },
    retention: {
      type: 'object',
      nullable: true,
      additionalProperties: false,
      description: 'Days after which data is deleted; null keeps it.',
      properties: Object.fromEntries(Object.entries(MIN_RETENTION_DAYS).map(days)),
    },
  },
};

const provider = {
  type: 'object',
  nullable: true,
  additionalProperties: false,
  properties: {
    enabled: { type: 'boolean', nullable: true },
    api_key: { ...secret, description: 'Write-only; answers carry `api_key_configured`.' },
    base_url: { ...url, description: 'Changing it without a new `api_key` clears the stored one.' },
    models: modelNames,
    default_model: { ...modelName, nullable: true },
    fast_model: { ...modelName, nullable: true },
    small_fast_model: {
      type: ['string', 'object', 'null'],
      description: "LAMB's name of `fast_model`.",
      minLength: 1,
      maxLength: 200,
      required: ['model'],
      additionalProperties: false,
      properties: { provider: modelName, model: modelName },
    },
    tool_use_model: { ...modelName, nullable: true },
  },
};

/** The name is a part of function names (`mcp_{server}_{tool}`), which split at the underscore. */
const mcpServer = {
  type: 'object',
  nullable: true,
  additionalProperties: false,
  properties: {
    url: { ...url, description: 'Streamable HTTP endpoint. Changing it without a new `token` clears the stored one.' },
    token: { ...secret, description: 'Write-only; sent as `Authorization: Bearer`.' },
    enabled: { type: 'boolean', nullable: true, description: 'Off unless it says true.' },
  },
};

/** Body of `PATCH /organizations/{slug}`: objects merge member by member, arrays replace, null removes (RFC 7396). */
export const settingsPatchSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S', format: PLAIN_NAME },
    providers: {
      type: 'object',
      nullable: true,
      maxProperties: 50,
      propertyNames: { pattern: '^[a-z][a-z0-9_-]{0,39}$' },
      additionalProperties: provider,
    },
    models: { ...modelNames, description: 'Models that assistants may use; empty allows every model.' },
    default_model: choice(['provider', 'model']),
    knowledge_base: {
      type: 'object',
      nullable: true,
      additionalProperties: false,
      properties: { server_url: url, api_token: { ...secret, description: 'Write-only.' } },
    },
    reranker: {
      type: 'object',
      nullable: true,
      additionalProperties: false,
      properties: {
        dialect: {
          ...oneOf(RERANK_DIALECT_PLUGINS.map(({ name }) => name)),
          description: 'Wire format of the endpoint.',
        },
        url: { ...url, description: 'Changing it without a new `api_key` clears the stored one.' },
        api_key: { ...secret, description: 'Write-only; sent as `Authorization: Bearer`.' },
        model: { ...modelName, nullable: true },
      },
    },
    translator: {
      type: 'object',
      nullable: true,
      additionalProperties: false,
      properties: {
        dialect: {
          ...oneOf(TRANSLATION_DIALECT_PLUGINS.map(({ name }) => name)),
          description: 'Wire format of the endpoint.',
        },
        url: { ...url, description: 'Changing it without a new `api_key` clears the stored one.' },
        api_key: { ...secret, description: 'Write-only.' },
      },
    },
    moodle: {
      type: 'object',
      nullable: true,
      additionalProperties: false,
      properties: { api_url: url, token: { ...secret, description: 'Write-only.' } },
    },
    mcp: {
      type: 'object',
      nullable: true,
      additionalProperties: false,
      properties: {
        servers: {
          type: 'object',
          nullable: true,
          maxProperties: 20,
          propertyNames: { pattern: '^[a-z][a-z0-9-]{0,23}$' },
          additionalProperties: mcpServer,
        },
      },
    },
    features: {
      type: 'object',
      nullable: true,
      additionalProperties: false,
      properties: Object.fromEntries(FEATURES.map((name) => [name, { type: 'boolean', nullable: true }])),
    },
    privacy,
    limits: limitsSchema,
    prices: pricesSchema,
  },
};
