import { Ajv } from 'ajv';
import fc from 'fast-check';
import { cleanParameters } from './clean-declaration';
import { cpuTimeOf } from '../../../../test/support/cpu-time';

const closed = { type: 'object', additionalProperties: false };

describe('parameters from a schema that a server wrote', () => {
  it('keep what a model needs to know and what costs nothing to check', () => {
    const schema = {
      type: 'object',
      title: 'left out',
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 200, description: 'Words of\nthe title' },
        year: { type: 'integer', minimum: 1450, exclusiveMaximum: 2100 },
        kind: { enum: ['book', 'film', null, { no: 1 }], type: ['string', 'null', 'nonsense'] },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 5, uniqueItems: true },
        place: { anyOf: [{ type: 'string' }, { const: 7 }] },
        free: { type: 'object', additionalProperties: { type: 'number' } },
      },
      required: ['title', 'nobody'],
      additionalProperties: false,
    };
    expect(cleanParameters(schema)).toEqual({
      ...closed,
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 200, description: 'Words of the title' },
        year: { type: 'integer', minimum: 1450, exclusiveMaximum: 2100 },
        kind: { enum: ['book', 'film', null], type: ['string', 'null'] },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 5 },
        place: { anyOf: [{ type: 'string' }, { enum: [7] }] },
        free: { type: 'object', additionalProperties: { type: 'number' } },
      },
      required: ['title'],
    });
  });

  it('leave out patterns, formats and whatever else could cost or surprise', () => {
    const hostile = {
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '^(a+)+$', format: 'uri', $comment: 'x', minimum: 'many', maxLength: -1 },
        b: { $ref: 'https://evil.example/schema.json' },
        c: { not: {}, if: {}, patternProperties: { '(a+)+$': {} }, dependentSchemas: { x: {} } },
        'with space': { type: 'string' },
        constructor: { type: 'string' },
      },
      required: ['with space', 'a'],
      patternProperties: { '(a+)+$': {} },
    };
    expect(cleanParameters(hostile)).toEqual({
      ...closed,
      properties: { a: { type: 'string' }, b: {}, c: {} },
      required: ['a'],
    });
    const proto = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as unknown;
    expect(cleanParameters(proto)).toEqual({ ...closed, properties: {} });
  });

  it('write references out, and end circles', () => {
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' }, plain: { $ref: '#/$defs/name~1s' } },
      $defs: {
        'name/s': { type: 'string' },
        node: { type: 'object', properties: { left: { $ref: '#/$defs/node' }, name: { $ref: '#/$defs/name~1s' } } },
        self: { $ref: '#/$defs/self' },
      },
    };
    expect(cleanParameters(schema)).toEqual({
      ...closed,
      properties: {
        tree: { type: 'object', properties: { left: {}, name: { type: 'string' } } },
        plain: { type: 'string' },
      },
    });
    expect(cleanParameters({ $ref: '#' })).toEqual({ ...closed, properties: {} });
    expect(cleanParameters({ ...schema, properties: { a: { $ref: '#/$defs/self' } } })).toMatchObject({
      properties: { a: {} },
    });
  });

  it('stay small where references multiply', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `d${i}`,
        { type: 'object', properties: { l: { $ref: `#/$defs/d${i + 1}` }, r: { $ref: `#/$defs/d${i + 1}` } } },
      ]),
    );
    let clean: unknown;
    const took = cpuTimeOf(() => {
      clean = cleanParameters({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs });
    });
    expect(JSON.stringify(clean).length).toBeLessThan(12_000);
    expect(took).toBeLessThan(500);
  });

  it('are not made from a schema of megabytes, nor slowly from what is just small enough', () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`);
    const heavy = (count: number) => ({
      type: 'object',
      properties: Object.fromEntries(words(200).map((name) => [name, { $ref: '#/$defs/huge' }])),
      $defs: {
        huge: {
          type: words(count),
          enum: words(count),
          required: words(count),
          properties: Object.fromEntries(words(count).map((name) => [name, {}])),
          description: 'word '.repeat(count),
        },
      },
    });
    const huge = heavy(40_000);
    expect(JSON.stringify(huge).length).toBeGreaterThan(1_600_000);
    const took = cpuTimeOf(() => {
      expect(cleanParameters(huge)).toBeNull();
      for (let i = 0; i < 10; i += 1) cleanParameters(heavy(1_200));
    });
    expect(took).toBeLessThan(3_000);
  });

  it('are not made from what is nested deeper than the stack', () => {
    const deep = JSON.parse(`{"type":"object","items":${'['.repeat(30_000)}${']'.repeat(30_000)}}`) as unknown;
    expect([null, { ...closed, properties: {} }]).toContainEqual(cleanParameters(deep));
  });

  it('lose their descriptions before they are given up', () => {
    const properties = (name: number) =>
      Object.fromEntries(
        Array.from({ length: 64 }, (_, i) => [`p${i}`.padEnd(name, 'x'), { description: 'word '.repeat(100) }]),
      );
    expect(cleanParameters({ type: 'object', properties: properties(3) })).toMatchObject({ properties: { p0x: {} } });
    const wide = Object.fromEntries(
      Array.from({ length: 64 }, (_, i) => [
        `p${i}`,
        { enum: Array.from({ length: 100 }, (__, k) => `${k}`.padEnd(150, '-')) },
      ]),
    );
    expect(cleanParameters({ type: 'object', properties: wide })).toBeNull();
  });

  it('are a schema that compiles, whatever was sent', () => {
    const word = fc.constantFrom('type', 'properties', 'required', 'items', 'enum', '$ref', 'anyOf', 'minimum', 'a');
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom('object', 'string', '#', '#/properties', '#/a', 1, -1, true, null, []),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(word, tie('node'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(node, (schema) => {
        const clean = cleanParameters(schema);
        if (clean === null) return;
        expect(clean['type']).toBe('object');
        expect(() => new Ajv({ strict: false, logger: false }).compile(clean)).not.toThrow();
      }),
      { numRuns: 100 },
    );
  });
});
