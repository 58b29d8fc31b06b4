import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complaintOf, type JsonSchema, kindOf, startOf, unknownKeys, withDefaults, withSetting } from './schema-form';

describe('the control of a setting', () => {
  it.each<[string, JsonSchema]>([
    ['switch', { type: 'boolean' }],
    ['choice', { type: 'string', enum: ['a', 'b'] }],
    ['choice', { enum: [1, null] }],
    ['whole', { type: 'integer', minimum: 1 }],
    ['share', { type: 'number', minimum: 0, maximum: 1 }],
    ['number', { type: ['number', 'null'] }],
    ['text', { type: 'string', maxLength: 200 }],
    ['long-text', { type: 'string', maxLength: 2000 }],
    ['list', { type: 'array', items: { type: 'string' } }],
    ['group', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }],
    ['reference', { type: ['string', 'integer', 'null'], 'x-reference': 'rubric' }],
    ['references', { type: 'array', items: { type: 'string' }, 'x-reference': 'knowledge_base' }],
    ['references', { type: 'array', items: { type: 'string', 'x-reference': 'file' } }],
  ])('is a %s for %j', (kind, schema) => {
    expect(kindOf(schema)).toBe(kind);
  });

  it.each<JsonSchema>([
    {},
    { type: ['string', 'number'] },
    { type: 'object' },
    { type: 'object', properties: {}, additionalProperties: true },
    { type: 'array' },
    { type: 'array', items: { type: 'object' } },
    { type: 'string', oneOf: [{ const: 'a' }] },
    { $ref: '#/x' },
    { type: 'tuple' },
    { enum: [{}] },
  ])('is the JSON editor for %j', (schema) => {
    expect(kindOf(schema)).toBe('json');
  });
});

describe('changing a setting', () => {
  it('leaves every other key as and where it was', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (config, name, value) => {
        fc.pre(name !== '__proto__' && !('__proto__' in config));
        const changed = withSetting(config, name, value);
        expect(changed[name]).toEqual(value);
        const { [name]: _changed, ...others } = changed;
        const { [name]: _before, ...before } = config;
        expect(Object.entries(others)).toEqual(Object.entries(before));
        expect(Object.entries(withSetting(changed, name, undefined))).toEqual(Object.entries(before));
      }),
    );
  });
});

describe('what is plainly wrong', () => {
  it.each<[JsonSchema, unknown, string | null]>([
    [{ type: 'integer', minimum: 1, maximum: 20 }, 0, 'minimum'],
    [{ type: 'integer', minimum: 1, maximum: 20 }, 21, 'maximum'],
    [{ type: 'integer' }, 1.5, 'whole'],
    [{ type: 'number' }, Number.NaN, 'number'],
    [{ type: 'integer' }, '3', 'number'],
    [{ type: 'integer' }, undefined, null],
    [{ type: ['integer', 'null'] }, null, null],
    [{ type: 'integer' }, null, 'number'],
    [{ type: 'string', maxLength: 3 }, '😀😀😀', null],
    [{ type: 'string', maxLength: 3 }, 'four', 'longest'],
    [{ type: 'string', minLength: 1 }, '', 'required'],
    [{ type: 'string', minLength: 3 }, 'ab', 'shortest'],
    [{ type: 'string', pattern: '^[a-z]*$' }, 'A', 'pattern'],
    [{ type: 'string', pattern: '(' }, 'A', null],
    [{ type: 'string', enum: ['a'] }, 'b', 'choice'],
    [{ type: 'array', items: { type: 'string' }, maxItems: 1 }, ['a', 'b'], 'most'],
    [{ type: 'object' }, 'anything', null],
  ])('of %j is seen in %j: %s', (schema, value, key) => {
    expect(complaintOf(schema, value)?.key ?? null).toBe(key);
  });
});

it('a new value is one that its schema takes', () => {
  const group: JsonSchema = {
    type: 'object',
    properties: { planner: { enum: ['auto', 'model'] }, fraction: { type: 'number', minimum: 0, maximum: 1 } },
    required: ['planner', 'fraction'],
    additionalProperties: false,
  };
  expect(startOf(group)).toEqual({ planner: 'auto', fraction: 0 });
  expect(startOf({ type: 'string', default: 'x' })).toBe('x');
  expect(startOf({ type: 'integer', minimum: 5 })).toBe(5);
  expect(startOf({})).toBeNull();
});

it('settings are unknown only where the schema is closed', () => {
  const properties = { top_k: { type: 'integer' } };
  expect(unknownKeys({ properties, additionalProperties: false }, { top_k: 1, mood: 2 })).toEqual(['mood']);
  expect(unknownKeys({ properties }, { top_k: 1, mood: 2 })).toEqual([]);
});

it('a config is completed with the defaults of what it leaves out', () => {
  const properties = { collections: { type: 'array', default: [] }, top_k: { type: 'integer', default: 3 }, mode: {} };
  expect(withDefaults({ properties }, { top_k: 7 })).toEqual({ top_k: 7, collections: [] });
});
