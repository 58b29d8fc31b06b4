import { isJsonObject, type JsonObject, type Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type ConfigReference, member } from '../definition';
import { type ConfigGap, FunctionCatalogue, ToolCatalogue } from '../../tools';

/** A value that a tool reads, with its place in the definition. */
export interface ReadValue {
  readonly path: string;
  /** The kind of thing that the value names: `x-reference`, or else the tool. */
  readonly kind: unknown;
  readonly value: unknown;
}

/** Missing and unreadable references of configs, for tools and functions alike. */
@Injectable()
export class ReferenceGaps {
  constructor(
    private readonly tools: ToolCatalogue,
    private readonly functions: FunctionCatalogue,
  ) {}

  /** Empty for unknown tools and for configs with problems. */
  of({ kind, tool, config }: ConfigReference, reader: Principal): Promise<readonly ConfigGap[]> {
    return (kind === 'function' ? this.functions : this.tools).gaps(tool, config, reader);
  }

  /** Canonical name; functions have a prefix of their own. */
  nameOf({ kind, tool }: ConfigReference): string {
    if (kind === 'pipeline') return this.tools.canonicalName(tool);
    return `function ${this.functions.find(tool)?.definition.name ?? tool}`;
  }

  schemaOf({ kind, tool }: ConfigReference): JsonObject {
    return (kind === 'function' ? this.functions : this.tools).find(tool)?.definition.config_schema ?? {};
  }

  /** The values of the settings that the tool declares. Nothing reads other members of a config. */
  values(reference: ConfigReference): ReadValue[] {
    const properties = member(this.schemaOf(reference), 'properties');
    if (!isJsonObject(properties)) return [];
    return Object.entries(properties).flatMap(([setting, schema]) => {
      const kind = kindOf(schema) ?? this.nameOf(reference);
      const value = member(reference.config, setting);
      return Array.isArray(value)
        ? value.map((each: unknown, index) => ({ path: reference.at(`${setting}[${index}]`), kind, value: each }))
        : [{ path: reference.at(setting), kind, value }];
    });
  }
}

const kindOf = (schema: unknown): unknown =>
  isJsonObject(schema) ? (schema['x-reference'] ?? kindOf(schema['items'])) : undefined;
