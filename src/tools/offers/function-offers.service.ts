import { Injectable, Logger } from '@nestjs/common';
import { isJsonObject, type JsonObject } from '../../kernel';
import { ArgumentSchemas } from './argument-schemas';
import type { FunctionDeclaration, FunctionEntry, FunctionPlugin, OfferContext } from '../contract';
import { traceOf } from '../calls/describe-failure';
import { FunctionCatalogue } from '../catalogues/function-catalogue';
import { FunctionSet, type OfferedFunction } from './function-set';

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
