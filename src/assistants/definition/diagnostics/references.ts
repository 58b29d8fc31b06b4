import type { JsonObject } from '../../../kernel';
import type { ClassicSetting } from '../../../processors';
import type { AssistantDocument } from '../metadata/document.types';
import { placedFunctions } from './check-functions';
import { joinPath } from './check-tool';
import type { ConfigReference } from './metadata-rules.types';

/** All configs of a definition that name content of other rooms: tools, fallbacks, functions and the classic fields. */
export function configReferences(document: AssistantDocument): ConfigReference[] {
  const own = document.type === 'classic' ? classicReferences(document) : pipelineReferences(document);
  const functions = placedFunctions(document.raw).map(({ base, type, config }): ConfigReference => ({
    kind: 'function',
    tool: type,
    config,
    checked: true,
    enabled: true,
    at: (path) => joinPath(base, path),
  }));
  return [...own, ...functions];
}

function pipelineReferences({ pipeline }: AssistantDocument): ConfigReference[] {
  return pipeline.flatMap(({ index, plugin, config, fallback, enabled }) => {
    const base = `metadata.tools[${index}]`;
    const references: ConfigReference[] = [
      {
        kind: 'pipeline',
        tool: plugin,
        config,
        checked: true,
        enabled,
        at: (path: string) => joinPath(`${base}.config`, path),
      },
    ];
    if (fallback !== null)
      references.push({
        kind: 'pipeline',
        tool: fallback.plugin,
        config: fallback.config,
        checked: true,
        enabled,
        at: (path: string) => joinPath(`${base}.fallback.config`, path),
      });
    return references;
  });
}

/** The tool that reads a setting in the same way, with its config. */
const READERS: Readonly<
  Record<ClassicSetting, (classic: AssistantDocument['classic']) => readonly [tool: string, config: JsonObject]>
> = {
  collections: ({ collections }) => ['simple_rag', { collections }],
  rubric: ({ rubricId }) => ['rubric_rag', { rubric_id: rubricId }],
  file: ({ filePath }) => ['single_file_rag', { file_path: filePath }],
};

function classicReferences({ classic }: AssistantDocument): ConfigReference[] {
  const at = (path: string): string =>
    path.startsWith('collections') ? path.replace('collections', 'RAG_collections') : joinPath('metadata', path);
  return classic.reads.map((setting) => {
    const [tool, config] = READERS[setting](classic);
    return { kind: 'pipeline', tool, config, checked: false, enabled: true, at };
  });
}
