import type { JsonObject } from '../../kernel';
import type { AssistantDocument } from '../document.types';
import { placedFunctions } from './check-functions';
import { joinPath } from './check-tool';
import type { ConfigReference } from './metadata-rules.types';

/**
 * Every place of a definition that names something of another room, as the config of the tool that would read it:
 * pipeline tools, fallbacks, functions, and the classic fields.
 */
export function configReferences(document: AssistantDocument): ConfigReference[] {
  const own = document.type === 'classic' ? classicReferences(document) : pipelineReferences(document);
  const functions = placedFunctions(document.raw).map(({ base, type, config }): ConfigReference => ({
    kind: 'function',
    tool: type,
    config,
    checked: true,
    at: (path) => joinPath(base, path),
  }));
  return [...own, ...functions];
}

function pipelineReferences({ pipeline }: AssistantDocument): ConfigReference[] {
  return pipeline.flatMap(({ index, plugin, config, fallback }) => {
    const base = `metadata.tools[${index}]`;
    const references: ConfigReference[] = [
      { kind: 'pipeline', tool: plugin, config, checked: true, at: (path: string) => joinPath(`${base}.config`, path) },
    ];
    if (fallback !== null)
      references.push({
        kind: 'pipeline',
        tool: fallback.plugin,
        config: fallback.config,
        checked: true,
        at: (path: string) => joinPath(`${base}.fallback.config`, path),
      });
    return references;
  });
}

/** The classic fields as the config of the tool that does the same. */
function classicReferences({ classic }: AssistantDocument): ConfigReference[] {
  const { collections } = classic;
  const tools = new Map<string, readonly [tool: string, config: JsonObject]>([
    ['simple_rag', ['simple_rag', { collections }]],
    ['context_aware_rag', ['simple_rag', { collections, rewrite_query: true }]],
    ['hierarchical_rag', ['simple_rag', { collections, rewrite_query: true, parent: true }]],
    ['rubric_rag', ['rubric_rag', { rubric_id: classic.rubricId }]],
    ['single_file_rag', ['single_file_rag', { file_path: classic.filePath }]],
  ]);
  const [tool, config] = tools.get(classic.ragProcessor) ?? [];
  if (tool === undefined || config === undefined) return [];
  const at = (path: string): string =>
    path.startsWith('collections') ? path.replace('collections', 'RAG_collections') : joinPath('metadata', path);
  return [{ kind: 'pipeline', tool, config, checked: false, at }];
}
