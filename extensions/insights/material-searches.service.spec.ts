import { processorsOver } from '../../src/processors';
import { FunctionCatalogue, type FunctionPlugin, ToolCatalogue, toolsOver } from '../../src/tools';
import { MaterialSearches } from './unused-material.service';

const definition = {
  ...{ name: 'library', aliases: ['old_library'], display_name: 'Library', description: 'Searches the library.' },
  ...{ placeholder: null, category: 'rag', version: '1.0.0', kind: 'function', icon: 'wrench', allow_multiple: true },
  ...{ config_schema: { type: 'object' }, parameters: {}, examples: [], capabilities: [], limitations: [] },
  cost: { unit: 'none', estimate: 0 },
  material_search: { nothing_found: 'worded' },
} satisfies FunctionPlugin['definition'];
const library: FunctionPlugin = { definition, offer: async () => [], call: async () => ({ content: '' }) };

const searches = new MaterialSearches(
  new ToolCatalogue(toolsOver(new Map())),
  new FunctionCatalogue([library]),
  processorsOver(new Map()),
);

describe('searches of the material', () => {
  it.each(['simple_rag', 'context_aware_rag', 'hierarchical_rag', 'keyword_search', 'vector_search', 'hybrid_search'])(
    'are declared by %s, which returns nothing when it finds nothing',
    (plugin) => expect(searches.of(plugin)).toEqual({ nothing_found: 'empty' }),
  );

  it.each(['library', 'old_library'])('are declared by a function under the name %s', (name) =>
    expect(searches.of(name)).toEqual({ nothing_found: 'worded' }),
  );

  it.each(['rubric_rag', 'single_file_rag', 'assistant', 'no_rag', 'gone', 'constructor'])(
    'are not made by %s',
    (name) => expect(searches.of(name)).toBeNull(),
  );
});
