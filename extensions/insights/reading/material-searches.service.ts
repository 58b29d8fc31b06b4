import { Injectable } from '@nestjs/common';
import { ProcessorCatalogue } from '../../../src/processors';
import { FunctionCatalogue, type MaterialSearch, ToolCatalogue } from '../../../src/tools';

/** The plugins that search the material of a course, as their definitions say. */
@Injectable()
export class MaterialSearches {
  private readonly byName: ReadonlyMap<string, MaterialSearch>;

  constructor(tools: ToolCatalogue, functions: FunctionCatalogue, processors: ProcessorCatalogue) {
    const definitions = [...tools.definitions(), ...functions.definitions(), ...processors.ragDefinitions()];
    this.byName = new Map(
      definitions.flatMap(({ name, aliases, material_search: search }) =>
        search === undefined ? [] : [name, ...aliases].map((each) => [each, search] as const),
      ),
    );
  }

  /** Null for a plugin that searches no material, and for one that is unknown or gone. */
  of(plugin: string): MaterialSearch | null {
    return this.byName.get(plugin) ?? null;
  }
}
