import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../kernel';

/** Returns the problems of arguments as text for the model; null without any. Fills in the schema's defaults. */
export type CheckArguments = (args: JsonObject) => string | null;

const MAX_SCHEMA_CHARS = 64_000;
const MAX_COMPILED = 500;
const MAX_PROBLEMS = 5;

/**
 * Schemas of functions may come from other servers, so nothing in them may cost us: no patterns (a regular expression can
 * take for ever), no formats, no references to anywhere else.
 */
const AJV = new Ajv({
  allErrors: false,
  useDefaults: true,
  strict: false,
  validateSchema: false,
  validateFormats: false,
  allowUnionTypes: true,
  logger: false,
})
  .removeKeyword('pattern')
  .removeKeyword('patternProperties');

/** Checks arguments against schemas that are compiled when they are first seen, whoever offers them. */
export class ArgumentSchemas {
  private readonly compiled = new LRUCache<string, { readonly check: CheckArguments | null }>({ max: MAX_COMPILED });

  /** null for a schema that cannot be used. */
  checkerFor(parameters: JsonObject): CheckArguments | null {
    const text = JSON.stringify(parameters);
    const known = this.compiled.get(text);
    if (known !== undefined) return known.check;
    const check = text.length > MAX_SCHEMA_CHARS ? null : compile(JSON.parse(text) as Record<string, unknown>);
    this.compiled.set(text, { check });
    return check;
  }
}

function compile({ $schema: _dialect, $id: _id, ...schema }: Record<string, unknown>): CheckArguments | null {
  if (schema['type'] !== undefined && schema['type'] !== 'object') return null;
  let validate: ValidateFunction;
  try {
    validate = AJV.compile(schema);
  } catch {
    return null;
  } finally {
    // Ajv would keep every schema for ever.
    AJV.removeSchema(schema);
  }
  return (args) => {
    try {
      return validate(args) ? null : (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(describe).join('; ');
    } catch {
      return 'they cannot be checked';
    }
  };
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const where = instancePath.split('/').slice(1).join('.');
  const named = params as Record<string, unknown>;
  if (keyword === 'required') return `${path(where, named['missingProperty'])} is required`;
  if (keyword === 'additionalProperties') return `${path(where, named['additionalProperty'])} is not known`;
  if (keyword === 'enum')
    return `${where} must be one of ${(named['allowedValues'] as unknown[]).map(String).join(', ')}`;
  return `${where} ${message ?? 'is not valid'}`.trim();
}

const path = (parent: string, member: unknown): string =>
  parent === '' ? String(member).slice(0, 100) : `${parent}.${String(member).slice(0, 100)}`;
