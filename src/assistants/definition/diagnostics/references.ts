import type { JsonObject, Problem } from '@bellwether/kernel';
import type { ClassicSetting } from '../../../processors';
import { type FunctionPlugin, functionEntries } from '../../../tools';
import type { AssistantDocument } from '../metadata/document.types';
import { readToolEntries } from '../metadata/tool-entries';
import { joinPath } from './check-tool';
import { type ConfigReference, type Diagnostic, error, misspelt, reasonOf } from './diagnostic.types';

export interface FunctionRules {
  find(name: string): Pick<FunctionPlugin, 'definition'> | undefined;
  closest(name: string): string | null;
  /** Paths are relative to the config. */
  validate(name: string, config: unknown): readonly Problem[];
}

const MAX_SHOWN = 64;

export interface PlacedFunction {
  /** `metadata.functions[0]` */
  readonly base: string;
  readonly type: string;
  readonly config: JsonObject;
  /** Stored as a name such as "weather". */
  readonly bare: boolean;
}

export function placedFunctions(metadata: JsonObject): PlacedFunction[] {
  return readToolEntries(metadata).functions.flatMap(({ path, definition, bare }) =>
    functionEntries([definition]).map(({ type, config }) => ({
      base: `metadata.${path}`,
      type: type.trim(),
      config,
      bare,
    })),
  );
}

/** The checks of functions that need no other module. */
export function checkFunctions(metadata: JsonObject, rules: FunctionRules): Diagnostic[] {
  const seen = new Set<string>();
  return placedFunctions(metadata).flatMap(({ base, type, config, bare }) => {
    const definition = rules.find(type)?.definition;
    if (definition === undefined) {
      const closest = rules.closest(type);
      const hint = closest === null ? '' : `; did you mean "${closest}"?`;
      return [
        error(
          'tool.unknown',
          bare ? base : `${base}.type`,
          `no function is called "${type.slice(0, MAX_SHOWN)}"${hint}`,
          misspelt(type.slice(0, MAX_SHOWN), closest),
        ),
      ];
    }
    const problems = rules
      .validate(type, config)
      .map((found) => error('tool.config_invalid', joinPath(base, found.path), found.message, reasonOf(found)));
    const again = seen.has(definition.name) && !definition.allow_multiple;
    seen.add(definition.name);
    return again
      ? [
          ...problems,
          error('function.duplicate', base, `an assistant can have one ${definition.name} only`, {
            reason: 'function.only_one',
          }),
        ]
      : problems;
  });
}

/** All configs of a definition that name content of other modules: tools, fallbacks, functions and the classic fields. */
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
