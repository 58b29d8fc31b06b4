import { isJsonObject, type JsonObject } from '../../../kernel';
import { cleanLine } from './clean-line';

/** Nodes of one schema after references have been written out. */
const MAX_NODES = 200;
const MAX_DEPTH = 8;
const MAX_PROPERTIES = 64;
const MAX_CHOICES = 100;
const MAX_CHOICE_CHARS = 200;
const MAX_BRANCHES = 8;
const DESCRIPTION_CHARS = 300;
/** UTF-16 units of the JSON text. */
const MAX_CHARS = 12_000;

/** What OpenAI and Anthropic take as the name of a property. */
const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/;
const TRAPS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const BRANCHES = ['anyOf', 'oneOf', 'allOf'] as const;

type Schema = Record<string, unknown>;

/**
 * The parameters of a function from a schema that somebody else wrote: built anew from keywords that are known and cost
 * nothing to check. References into the schema itself are written out, circles end as "anything"; patterns, formats and
 * references to elsewhere are left out. Null when nothing usable of bounded size comes of it.
 */
export function cleanParameters(schema: unknown): JsonObject | null {
  const full = new SchemaCopy(schema, true).parameters();
  if (sizeOf(full) <= MAX_CHARS) return full;
  const bare = new SchemaCopy(schema, false).parameters();
  return sizeOf(bare) <= MAX_CHARS ? bare : null;
}

const sizeOf = (schema: JsonObject): number => JSON.stringify(schema).length;

class SchemaCopy {
  private nodes = 0;

  constructor(
    private readonly root: unknown,
    private readonly described: boolean,
  ) {}

  /** Vendors want an object without alternatives at the top. */
  parameters(): JsonObject {
    const { properties = {}, required, additionalProperties } = this.copy(this.root, 0, []);
    return {
      type: 'object',
      properties,
      ...(required === undefined ? {} : { required }),
      // A free form is one only where it says so.
      additionalProperties: additionalProperties ?? false,
    };
  }

  private copy(node: unknown, depth: number, path: readonly string[]): Schema {
    if (!isJsonObject(node) || depth > MAX_DEPTH || this.nodes >= MAX_NODES) return {};
    this.nodes += 1;
    if (typeof node['$ref'] === 'string') return this.referred(node['$ref'], depth, path);
    return {
      ...typeOf(node),
      ...this.textOf(node),
      ...choicesOf(node),
      ...figuresOf(node),
      ...this.membersOf(node, depth, path),
      ...this.branchesOf(node, depth, path),
    };
  }

  private referred(reference: string, depth: number, path: readonly string[]): Schema {
    if (path.includes(reference)) return {};
    return this.copy(lookUp(this.root, reference), depth + 1, [...path, reference]);
  }

  private textOf({ description }: JsonObject): Schema {
    if (!this.described || typeof description !== 'string') return {};
    const text = cleanLine(description, DESCRIPTION_CHARS);
    return text === '' ? {} : { description: text };
  }

  private membersOf(node: JsonObject, depth: number, path: readonly string[]): Schema {
    const schema: Schema = {};
    const { properties, required, items, additionalProperties } = node;
    if (isJsonObject(properties)) {
      const names = Object.keys(properties).filter((name) => PROPERTY.test(name) && !TRAPS.has(name));
      const kept = names.slice(0, MAX_PROPERTIES);
      schema['properties'] = Object.fromEntries(
        kept.map((name) => [name, this.copy(properties[name], depth + 1, path)]),
      );
      const needed = Array.isArray(required) ? kept.filter((name) => required.includes(name)) : [];
      if (needed.length > 0) schema['required'] = needed;
    }
    if (isJsonObject(items)) schema['items'] = this.copy(items, depth + 1, path);
    if (typeof additionalProperties === 'boolean') schema['additionalProperties'] = additionalProperties;
    else if (isJsonObject(additionalProperties))
      schema['additionalProperties'] = this.copy(additionalProperties, depth + 1, path);
    return schema;
  }

  private branchesOf(node: JsonObject, depth: number, path: readonly string[]): Schema {
    const schema: Schema = {};
    for (const keyword of BRANCHES) {
      const branches = node[keyword];
      if (!Array.isArray(branches) || branches.length === 0 || branches.length > MAX_BRANCHES) continue;
      schema[keyword] = branches.map((branch) => this.copy(branch, depth + 1, path));
    }
    return schema;
  }
}

/** A JSON Pointer into the schema itself (RFC 6901); undefined for everything else. */
function lookUp(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#/') || reference.length > 300) return undefined;
  let node = root;
  for (const token of reference.slice(2).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isJsonObject(node) || !Object.hasOwn(node, name)) return undefined;
    node = node[name];
  }
  return node;
}

function typeOf({ type, nullable }: JsonObject): Schema {
  const types = [...new Set([type].flat())].filter((each) => TYPES.has(each));
  if (types.length === 0) return {};
  if (nullable === true && !types.includes('null')) types.push('null');
  return { type: types.length === 1 ? types[0] : types };
}

function choicesOf(node: JsonObject): Schema {
  const values = Array.isArray(node['enum']) ? node['enum'] : 'const' in node ? [node['const']] : [];
  const usable = [...new Set(values)].filter(isChoice).slice(0, MAX_CHOICES);
  return usable.length === 0 ? {} : { enum: usable };
}

function isChoice(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_CHOICE_CHARS && value.isWellFormed();
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

function figuresOf(node: JsonObject): Schema {
  const schema: Schema = {};
  for (const keyword of BOUNDS) if (Number.isFinite(node[keyword])) schema[keyword] = node[keyword];
  for (const keyword of COUNTS) {
    const value = node[keyword];
    if (Number.isSafeInteger(value) && Number(value) >= 0) schema[keyword] = value;
  }
  return schema;
}
