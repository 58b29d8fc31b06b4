import { RULE_ENDINGS, RULE_LIMITS, RULE_SUBJECTS, RULE_WINDOWS } from './limit.types';

/** Format of names on one line, as `IsPlainName` checks them in DTOs. */
export const PLAIN_NAME = 'plain-name';

const count = { type: 'integer', minimum: 0, maximum: 1_000_000_000, nullable: true };
const day = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: '`YYYY-MM-DD`' };
const name = { type: 'string', minLength: 1, maxLength: 200, format: PLAIN_NAME };
/** Per million tokens. */
const price = { type: 'number', minimum: 0, maximum: 1_000_000 };

const rule = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'for', 'limit', 'amount'],
  properties: {
    id: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,39}$', description: 'Names the rule in errors and usage.' },
    for: {
      type: 'object',
      additionalProperties: false,
      required: ['kind'],
      properties: {
        kind: { type: 'string', enum: [...RULE_SUBJECTS] },
        id: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'Id as text. Without it, each person, group, key or assistant is counted for itself.',
        },
      },
    },
    limit: {
      type: 'string',
      enum: [...RULE_LIMITS],
      description: '`runs` and `streams` count simultaneous ones; `storage` is in bytes.',
    },
    amount: { type: 'number', minimum: 0, maximum: 1e15 },
    per: { type: 'string', enum: [...RULE_WINDOWS], description: 'In UTC. Not for `runs`, `streams` and `storage`.' },
    at_end: { type: 'string', enum: [...RULE_ENDINGS], description: '`stop` when absent.' },
    locked: { type: 'boolean', description: 'Only system administrators may change it.' },
  },
};

const term = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'from', 'to'],
  properties: { name, from: day, to: day },
};

/** Part `limits` of the settings. */
export const limitsSchema = {
  type: 'object',
  nullable: true,
  additionalProperties: false,
  properties: {
    assistant_calls: {
      type: 'object',
      nullable: true,
      additionalProperties: false,
      description: 'Calls of its assistants by others in 24 hours: of all, of one, by one other organization.',
      properties: { per_day: count, per_assistant: count, per_organization: count },
    },
    rules: { type: 'array', nullable: true, maxItems: 200, items: rule },
    terms: { type: 'array', nullable: true, maxItems: 100, items: term },
    weight: {
      type: 'number',
      nullable: true,
      minimum: 0.1,
      maximum: 100,
      description:
        'Share of the places for answers while they are scarce, compared to other organizations; 1 when absent. Only ' +
        'system administrators may change it.',
    },
  },
};

const modelPrice = {
  type: 'object',
  additionalProperties: false,
  required: ['provider', 'model', 'from', 'input', 'output'],
  properties: { provider: name, model: name, from: day, input: price, output: price, cached_input: price },
};

/** Part `prices` of the settings. */
export const pricesSchema = {
  type: 'object',
  nullable: true,
  additionalProperties: false,
  description: 'Prices per million tokens. The system organization’s prices serve others per model.',
  properties: {
    currency: { type: 'string', nullable: true, pattern: '^[A-Z]{3}$', description: 'ISO 4217' },
    models: { type: 'array', nullable: true, maxItems: 2_000, items: modelPrice },
  },
};
