import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import { cutText } from '../../read-output';

/** Nodes of one schema after references have been inlined. */
const MAX_NODES = 200;
const MAX_DEPTH = 8;
const MAX_PROPERTIES = 64;
/** Entries read of a `required` list and of a `type` list. Later ones are ignored. */
const MAX_REQUIRED = 256;
const MAX_TYPES = 16;
const MAX_CHOICES = 100;
const MAX_CHOICE_CHARS = 200;
const MAX_BRANCHES = 8;
const DESCRIPTION_CHARS = 300;
/** UTF-16 units of JSON text: of the result, and of the schema that is read. */
const MAX_CHARS = 12_000;
const MAX_GIVEN_CHARS = 64 * 1024;

/** Property names that OpenAI and Anthropic accept. */
const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/;
const TRAPS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const BRANCHES = ['anyOf', 'oneOf', 'allOf'] as const;

type Schema = Record<string, unknown>;

/**
 * Builds a function's parameters from an untrusted schema, using known keywords only. Inlines local references; cyclic
 * ones become `{}`. Drops patterns, which could be slow to check, formats and remote references. Null when the result
 * is too large even without descriptions.
 */
export function cleanParameters(schema: unknown): JsonObject | null {
  if (isJsonObject(schema) && sizeOf(schema) > MAX_GIVEN_CHARS) return null;
  const full = new SchemaCopy(schema, true).parameters();
  if (sizeOf(full) <= MAX_CHARS) return full;
  const bare = new SchemaCopy(schema, false).parameters();
  return sizeOf(bare) <= MAX_CHARS ? bare : null;
}

function sizeOf(schema: JsonObject): number {
  try {
    return JSON.stringify(schema).length;
  } catch {
    // Nested too deeply for `JSON.stringify`. Only a schema from a server can be.
    return Infinity;
  }
}

class SchemaCopy {
  private nodes = 0;
  /** Names by `properties` object: references may lead to the same one from many nodes. */
  private readonly names = new Map<JsonObject, readonly string[]>();

  constructor(
    private readonly root: unknown,
    private readonly described: boolean,
  ) {}

  /** Vendors require an object without `anyOf` and the like at the top level. */
  parameters(): JsonObject {
    const { properties = {}, required, additionalProperties } = this.copy(this.root, 0, []);
    return {
      type: 'object',
      properties,
      ...(required === undefined ? {} : { required }),
      // Closed unless the schema says otherwise.
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
      const kept = this.namesOf(properties);
      schema['properties'] = Object.fromEntries(
        kept.map((name) => [name, this.copy(properties[name], depth + 1, path)]),
      );
      const wanted = new Set<unknown>(Array.isArray(required) ? required.slice(0, MAX_REQUIRED) : []);
      const needed = kept.filter((name) => wanted.has(name));
      if (needed.length > 0) schema['required'] = needed;
    }
    if (isJsonObject(items)) schema['items'] = this.copy(items, depth + 1, path);
    if (typeof additionalProperties === 'boolean') schema['additionalProperties'] = additionalProperties;
    else if (isJsonObject(additionalProperties))
      schema['additionalProperties'] = this.copy(additionalProperties, depth + 1, path);
    return schema;
  }

  private namesOf(properties: JsonObject): readonly string[] {
    const known = this.names.get(properties);
    if (known !== undefined) return known;
    const names: string[] = [];
    for (const name of Object.keys(properties)) {
      if (names.length === MAX_PROPERTIES) break;
      if (PROPERTY.test(name) && !TRAPS.has(name)) names.push(name);
    }
    this.names.set(properties, names);
    return names;
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
  const listed: readonly unknown[] = Array.isArray(type) ? type.slice(0, MAX_TYPES) : [type];
  const types = [...new Set(listed)].filter((each) => TYPES.has(each));
  if (types.length === 0) return {};
  if (nullable === true && !types.includes('null')) types.push('null');
  return { type: types.length === 1 ? types[0] : types };
}

function choicesOf(node: JsonObject): Schema {
  const values: readonly unknown[] = Array.isArray(node['enum'])
    ? node['enum'].slice(0, MAX_CHOICES)
    : 'const' in node
      ? [node['const']]
      : [];
  const usable = [...new Set(values.filter(isChoice))];
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

/**
 * Control characters and invisible characters: format characters, direction marks, variation selectors and tags. They
 * can hide instructions from people who review the text.
 */
const UNSEEN = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|\p{Default_Ignorable_Code_Point}/gu;

/** One line of visible text from a text that somebody else wrote, at most `max` UTF-16 units. */
export function cleanLine(text: string, max: number): string {
  // Cuts first, so that the patterns never run over megabytes.
  const start = cutText(text, max * 4).toWellFormed();
  const visible = start.replace(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  return visible.length <= max ? visible : `${cutText(visible, max - 1)}…`;
}
