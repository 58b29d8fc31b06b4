import { isJsonObject, type JsonObject, type Problem, valueProblem } from '@bellwether/kernel';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

const MAX_PROBLEMS = 20;

/** A config with the schema's defaults filled in, and everything that is wrong with it. */
export interface PreparedConfig {
  readonly config: JsonObject;
  /** Paths are relative to the config: `collections[0]`. */
  readonly problems: readonly Problem[];
}

/**
 * Keywords for the web form: `x-reference` names the kind of resource of an id, `x-texts` holds title and description by
 * language, `x-advanced` hides a setting under "More settings", `x-default` is what an absent setting means.
 */
const VOCABULARY = ['x-reference', 'x-texts', 'x-advanced', 'x-default'];
const AJV = new Ajv({ allErrors: true, useDefaults: true, allowUnionTypes: true }).addVocabulary(VOCABULARY);
const EXACT_AJV = new Ajv({ allErrors: true, allowUnionTypes: true }).addVocabulary(VOCABULARY);

/** Checks configs against JSON Schemas that are compiled once. */
export class ConfigSchemas {
  private readonly schemas = new Map<string, JsonObject>();
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly exact = new Map<string, ValidateFunction>();

  /** `owner` names the kind of plugin in messages. */
  constructor(private readonly owner = 'tool') {}

  add(name: string, schema: JsonObject): void {
    this.schemas.set(name, schema);
    this.compiled.set(name, AJV.compile(schema));
  }

  /** Never changes `config`: defaults go into a copy. */
  prepare(name: string, config: unknown): PreparedConfig {
    if (!isJsonObject(config)) return { config: {}, problems: [NO_OBJECT] };
    const copy = structuredClone(config);
    const validate = this.compiled.get(name);
    if (validate === undefined || validate(copy)) return { config: copy, problems: [] };
    return { config: copy, problems: this.problemsOf(validate) };
  }

  /** Problems of a config without its defaults: required members must be there. */
  exactProblems(name: string, config: unknown): readonly Problem[] {
    if (!isJsonObject(config)) return [NO_OBJECT];
    const validate = this.exactValidator(name);
    return validate === null || validate(config) ? [] : this.problemsOf(validate);
  }

  private exactValidator(name: string): ValidateFunction | null {
    const schema = this.schemas.get(name);
    if (schema === undefined) return null;
    const validate = this.exact.get(name) ?? EXACT_AJV.compile(schema);
    this.exact.set(name, validate);
    return validate;
  }

  private problemsOf({ errors }: ValidateFunction): Problem[] {
    return (errors ?? []).slice(0, MAX_PROBLEMS).map((error) => problemOf(error, this.owner));
  }
}

const NO_OBJECT: Problem = { path: '', message: 'must be an object', ...valueProblem('type') };

function problemOf(error: ErrorObject, owner: string): Problem {
  const path = jsonPath(error.instancePath);
  const params = error.params as Record<string, unknown>;
  const worded = valueProblem(error.keyword, params);
  switch (error.keyword) {
    case 'required':
      return { path: member(path, String(params.missingProperty)), message: 'is required', ...worded };
    case 'additionalProperties':
      return {
        path: member(path, String(params.additionalProperty)),
        message: `is not a setting of this ${owner}`,
        ...worded,
      };
    case 'enum':
      return {
        path,
        message: `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}`,
        ...worded,
      };
    case 'type':
      return { path, message: `must be of type ${[params.type].flat().join(' or ')}`, ...worded };
    default:
      return { path, message: error.message ?? 'is not valid', ...worded };
  }
}

const member = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** `/collections/0` of JSON Pointer (RFC 6901) as `collections[0]`. */
function jsonPath(pointer: string): string {
  let path = '';
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path = /^\d+$/.test(name) ? `${path}[${name}]` : member(path, name);
  }
  return path;
}
