import { Injectable } from '@nestjs/common';
import type { ConfigReference } from '../../definition';
import type { JsonObject, Principal } from '../../kernel';
import { type ConfigGap, FunctionCatalogue, ToolCatalogue } from '../../tools';

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
}
