import type { Problem } from '@bellwether/kernel';
import {
  type LimitRule,
  type LimitSettings,
  type ModelPrice,
  type OrganizationSettings,
  type PriceSettings,
  RULE_ENDINGS,
  RULE_LIMITS,
  RULE_SUBJECTS,
  RULE_WINDOWS,
  type Term,
} from './settings.types';

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

const WITHOUT_WINDOW: ReadonlySet<string> = new Set(['runs', 'streams', 'storage']);

/** Highest cost in units of the currency; counters hold millionths. */
const MAX_COST = 1e9;

type Check<T> = readonly [member: string, isWrong: (value: T) => boolean, message: string, code: string];

const hasWindow = ({ limit }: LimitRule): boolean => !WITHOUT_WINDOW.has(limit);

const RULE_CHECKS: readonly Check<LimitRule>[] = [
  [
    'per',
    (rule) => hasWindow(rule) && rule.per === undefined,
    'is missing: minute, day, month or term',
    'value.missing',
  ],
  ['per', (rule) => !hasWindow(rule) && rule.per !== undefined, 'is not possible for this limit', 'limit.no_period'],
  [
    'amount',
    ({ limit, amount }) => limit !== 'cost' && !Number.isInteger(amount),
    'must be a whole number',
    'value.whole',
  ],
  ['amount', ({ limit, amount }) => limit === 'cost' && amount > MAX_COST, 'must be at most 1000000000', 'limit.cost'],
  [
    'for.id',
    ({ for: { kind, id } }) => kind === 'organization' && id !== undefined,
    'is not possible here',
    'limit.subject',
  ],
  [
    'for.id',
    ({ for: { kind, id } }) => kind === 'assistant' && id !== undefined && !/^\d+$/.test(id),
    'must be the number of an assistant',
    'limit.subject',
  ],
  [
    'for.kind',
    ({ limit, for: { kind } }) => limit === 'storage' && kind !== 'organization' && kind !== 'person',
    'must be organization or person: files belong to people',
    'limit.storage',
  ],
  [
    'at_end',
    ({ limit, at_end }) => at_end === 'fast_model' && limit !== 'tokens' && limit !== 'cost',
    'fast_model is possible for tokens and cost only',
    'limit.fast_model',
  ],
];

const isDay = (day: string): boolean => {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
};

const failing = <T>(checks: readonly Check<T>[], value: T, path: string): Problem[] =>
  checks.flatMap(([member, isWrong, message, code]) =>
    isWrong(value) ? [{ path: `${path}.${member}`, message, code }] : [],
  );

/** Positions of the values whose key an earlier value has. */
function repeated<T>(values: readonly T[], keyOf: (value: T) => string): number[] {
  const seen = new Set<string>();
  return values.flatMap((value, at) => {
    const key = keyOf(value);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew ? [] : [at];
  });
}

function ruleProblems({ rules = [], terms = [] }: LimitSettings): Problem[] {
  const own = rules.flatMap((rule, at) => {
    const path = `limits.rules[${at}]`;
    const termless = rule.per === 'term' && terms.length === 0;
    return [
      ...failing(RULE_CHECKS, rule, path),
      ...(termless ? [{ path: `${path}.per`, message: 'needs a term in limits.terms', code: 'limit.no_term' }] : []),
    ];
  });
  const twice = repeated(rules, ({ id }) => id).map((at) => ({
    path: `limits.rules[${at}].id`,
    message: 'is the id of another rule',
    code: 'value.taken',
  }));
  return [...own, ...twice];
}

const TERM_CHECKS: readonly Check<Term>[] = [
  ['from', ({ from }) => !isDay(from), 'is not a day', 'value.day'],
  ['to', ({ to }) => !isDay(to), 'is not a day', 'value.day'],
  ['to', ({ from, to }) => isDay(from) && isDay(to) && to < from, 'is before the first day', 'term.order'],
];

function termProblems({ terms = [] }: LimitSettings): Problem[] {
  return terms.flatMap((term, at) => {
    const path = `limits.terms[${at}]`;
    const other = terms.slice(0, at).find(({ from, to }) => term.from <= to && from <= term.to);
    const overlap =
      other === undefined
        ? []
        : [
            {
              path,
              message: `overlaps with the term ${other.name}`,
              code: 'term.overlap',
              values: { name: other.name },
            },
          ];
    return [...failing(TERM_CHECKS, term, path), ...overlap];
  });
}

const PRICE_CHECKS: readonly Check<ModelPrice>[] = [['from', ({ from }) => !isDay(from), 'is not a day', 'value.day']];

function priceProblems({ currency, models = [] }: PriceSettings): Problem[] {
  const twice = repeated(models, ({ provider, model, from }) => JSON.stringify([provider, model, from]));
  return [
    ...(models.length > 0 && currency === undefined
      ? [{ path: 'prices.currency', message: 'is missing', code: 'value.missing' }]
      : []),
    ...models.flatMap((price, at) => failing(PRICE_CHECKS, price, `prices.models[${at}]`)),
    ...twice.map((at) => ({
      path: `prices.models[${at}]`,
      message: 'repeats a price of the same model and day',
      code: 'price.twice',
    })),
  ];
}

/** Problems that need several members at once; the JSON Schema has checked each member. */
export const limitProblems = ({ limits = {}, prices = {} }: OrganizationSettings): Problem[] => [
  ...ruleProblems(limits),
  ...termProblems(limits),
  ...priceProblems(prices),
];
