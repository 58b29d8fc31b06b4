import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import { isJsonObject, type JsonObject } from '../../kernel';

const MAX_COMPILED = 200;
const MAX_PROBLEMS = 8;
const PATH_CHARS = 100;

const AJV = new Ajv({ allErrors: true, strict: false, allowUnionTypes: true, logger: false });

/** Checks answers against schemas of our own code, compiled when they are first seen. */
export class AnswerSchemas {
  private readonly compiled = new LRUCache<string, ValidateFunction>({ max: MAX_COMPILED });

  /** The problems, in words for the model; empty when the value fits. */
  problems(schema: JsonObject, value: unknown): readonly string[] {
    if (value === undefined) return ['it holds no JSON object'];
    const validate = this.checkerOf(schema);
    return validate(value) ? [] : (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(describe);
  }

  private checkerOf(schema: JsonObject): ValidateFunction {
    const text = JSON.stringify(schema);
    const known = this.compiled.get(text);
    if (known !== undefined) return known;
    const own = JSON.parse(text) as JsonObject;
    const validate = AJV.compile(own);
    // Ajv would keep every schema for ever.
    AJV.removeSchema(own);
    this.compiled.set(text, validate);
    return validate;
  }
}

const describe = ({ instancePath, message }: ErrorObject): string =>
  `${instancePath === '' ? 'the object' : instancePath.slice(0, PATH_CHARS)} ${message ?? 'is not valid'}`;

/**
 * Whether OpenAI's strict mode takes the schema (Structured Outputs guide, "Supported schemas"): every object closed, every
 * property required.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (!isJsonObject(schema)) return true;
  const { properties, required } = schema;
  if (isJsonObject(properties)) {
    if (schema['additionalProperties'] !== false || !Array.isArray(required)) return false;
    if (!Object.keys(properties).every((name) => required.includes(name))) return false;
    if (!Object.values(properties).every(isStrictSchema)) return false;
  } else if (schema['type'] === 'object') return false;
  return ['items', 'anyOf', '$defs'].every((name) => isStrictSchema(schema[name]));
}
