import { Injectable } from '@nestjs/common';
import type { ConfigReference } from '../../definition';
import type { JsonObject, Principal } from '../../kernel';
import { type ConfigGap, FunctionCatalogue, ToolCatalogue } from '../../tools';

/** What the configs of a definition lack or may not read, whichever catalogue knows them. */
@Injectable()
export class ReferenceGaps {
  constructor(
    private readonly tools: ToolCatalogue,
    private readonly functions: FunctionCatalogue,
  ) {}

  /** Nothing for what no catalogue knows and for configs with problems. */
  of({ kind, tool, config }: ConfigReference, reader: Principal): Promise<readonly ConfigGap[]> {
    return (kind === 'function' ? this.functions : this.tools).gaps(tool, config, reader);
  }

  /** Canonical name, apart from that of the other kind. */
  nameOf({ kind, tool }: ConfigReference): string {
    if (kind === 'pipeline') return this.tools.canonicalName(tool);
    return `function ${this.functions.find(tool)?.definition.name ?? tool}`;
  }

  schemaOf({ kind, tool }: ConfigReference): JsonObject {
    return (kind === 'function' ? this.functions : this.tools).find(tool)?.definition.config_schema ?? {};
  }
}
