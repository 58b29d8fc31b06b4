import { type JsonObject, isJsonObject, atMost } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import { traceOf } from './describe-failure';
import { FunctionCatalogue } from './tool-catalogue';
import type { FunctionDeclaration, FunctionEntry, FunctionPlugin, OfferContext } from './contract';

/** Returns the problems of arguments as text for the model; null without any. Fills in the schema's defaults. */
type CheckArguments = (args: JsonObject) => string | null;

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
  private readonly compiled = new LRUCache<string, { readonly check: CheckArguments | null }>(atMost(MAX_COMPILED));

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

/** One function that the model may call in a run, and who answers. */
export interface OfferedFunction {
  readonly declaration: FunctionDeclaration;
  readonly plugin: FunctionPlugin;
  /** Complete and checked. */
  readonly config: JsonObject;
  readonly check: CheckArguments;
}

/** The functions of one run, fixed before its first round. Names come from models: Map look-ups only. */
export class FunctionSet {
  private readonly byName: ReadonlyMap<string, OfferedFunction>;

  constructor(readonly functions: readonly OfferedFunction[]) {
    this.byName = new Map(functions.map((offered) => [offered.declaration.name, offered]));
  }

  get isEmpty(): boolean {
    return this.functions.length === 0;
  }

  get declarations(): readonly FunctionDeclaration[] {
    return this.functions.map(({ declaration }) => declaration);
  }

  /** A name that a vendor wrote several times in a row is that name. */
  find(name: string): OfferedFunction | undefined {
    const exact = this.byName.get(name);
    if (exact !== undefined || name.length > MAX_REPEATED) return exact;
    for (const [known, offered] of this.byName) {
      if (name.length % known.length === 0 && known.repeat(name.length / known.length) === name) return offered;
    }
    return undefined;
  }
}

const MAX_REPEATED = 1_024;

export const NO_FUNCTIONS = new FunctionSet([]);

export interface OfferWarning {
  readonly code: string;
  readonly message: string;
}

export interface Offer {
  readonly functions: FunctionSet;
  readonly warnings: readonly OfferWarning[];
}

/** OpenAI API reference, "function": `name`. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** OpenAI takes no more in one request. */
const MAX_FUNCTIONS = 128;
const MAX_DESCRIPTION = 1_024;

interface Found {
  readonly functions: readonly OfferedFunction[];
  readonly warnings: readonly OfferWarning[];
}

const refused = (code: string, message: string): Found => ({ functions: [], warnings: [{ code, message }] });

/** Asks every function plugin of a document what it offers in this run. An entry that offers nothing never stops the run. */
@Injectable()
export class FunctionOffers {
  private readonly logger = new Logger(FunctionOffers.name);
  private readonly schemas = new ArgumentSchemas();

  constructor(private readonly catalogue: FunctionCatalogue) {}

  async offer(entries: readonly FunctionEntry[], context: OfferContext): Promise<Offer> {
    const found = await Promise.all(entries.map((entry) => this.ofEntry(entry, context)));
    const warnings = found.flatMap((entry) => entry.warnings);
    const functions: OfferedFunction[] = [];
    const names = new Set<string>();
    for (const offered of found.flatMap((entry) => entry.functions)) {
      const { name } = offered.declaration;
      if (names.has(name)) warnings.push({ code: 'function.duplicate', message: `Two functions are called ${name}` });
      else functions.push(offered);
      names.add(name);
    }
    if (functions.length > MAX_FUNCTIONS) {
      const message = `${functions.length - MAX_FUNCTIONS} functions were left out: a model takes ${MAX_FUNCTIONS}`;
      warnings.push({ code: 'function.too_many', message });
    }
    return { functions: new FunctionSet(functions.slice(0, MAX_FUNCTIONS)), warnings };
  }

  private async ofEntry({ index, type, config: stored }: FunctionEntry, context: OfferContext): Promise<Found> {
    const plugin = this.catalogue.find(type);
    if (plugin === undefined) return refused('function.unknown', `There is no function '${type.slice(0, 60)}'`);
    const { name } = plugin.definition;
    if (this.catalogue.isUnbound(name, stored))
      return refused('function.unavailable', `The function ${name} offers nothing`);
    const { config, problems } = this.catalogue.prepare(name, stored);
    const [problem] = problems;
    if (problem !== undefined) {
      return refused('function.config_invalid', `functions[${index}].${problem.path} ${problem.message}`);
    }
    let declarations: readonly FunctionDeclaration[];
    try {
      declarations = await plugin.offer(config, context);
    } catch (error) {
      if (!context.signal.aborted) this.logger.warn(`function ${index} ${name} offers nothing: ${traceOf(error)}`);
      return refused('function.unavailable', `The function ${name} cannot be offered now`);
    }
    if (declarations.length === 0)
      return refused('function.unavailable', `The function ${name}${labelOf(plugin, config)} offers nothing`);
    return this.checked(plugin, config, declarations);
  }

  private checked(
    plugin: FunctionPlugin,
    config: Found['functions'][0]['config'],
    all: readonly FunctionDeclaration[],
  ): Found {
    const functions: OfferedFunction[] = [];
    const warnings: OfferWarning[] = [];
    for (const declaration of all) {
      const check = NAME.test(declaration.name) ? this.schemas.checkerFor(declaration.parameters) : null;
      if (check === null) {
        const message = `A function of ${plugin.definition.name} was left out: its name or schema cannot be used`;
        warnings.push({ code: 'function.unusable', message });
        continue;
      }
      const description = declaration.description.slice(0, MAX_DESCRIPTION);
      functions.push({ declaration: { ...declaration, description }, plugin, config, check });
    }
    return { functions, warnings };
  }
}

/** Tells several functions of one kind apart: by its label, or by the thing that it refers to. */
function labelOf({ definition }: FunctionPlugin, config: JsonObject): string {
  const { properties } = definition.config_schema;
  const reference = isJsonObject(properties)
    ? Object.keys(properties).find((key) => isJsonObject(properties[key]) && 'x-reference' in properties[key])
    : undefined;
  const named = [config['name'], reference === undefined ? null : config[reference]];
  const label = named
    .map((value) => (typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''))
    .find((text) => text !== '');
  return label === undefined ? '' : ` "${label.slice(0, 100)}"`;
}
