import type { JsonObject } from '@bellwether/kernel';
import { renameSlots } from '@bellwether/kernel/templates';
import type { ToolVocabulary, VersionedDefinition } from './metadata/document.types';
import { member, textMember } from './metadata/parse-metadata';
import { type ToolEntry, assignPlaceholders, readToolEntries, unnumberedName } from './metadata/tool-entries';
import { metadataVersion } from './metadata/version';

/**
 * Version 2 to 3: numbered placeholders, a strategy, and a list of functions. A slot that several
 * tools fill becomes several numbered slots. Unknown keys are kept. A document that does not run as version 2 is
 * returned unchanged.
 */
export function stepV2ToV3(definition: VersionedDefinition, tools: ToolVocabulary): VersionedDefinition {
  const { metadata, template } = definition;
  if (metadataVersion(metadata) !== 2) return definition;
  const { pipeline, functions } = readToolEntries(metadata);
  const placeholders = assignPlaceholders(pipeline, 2, tools);
  const { _format_version: _version, assistant_type: _type, ...rest } = metadata;
  return {
    metadata: {
      _format_version: 3,
      assistant_type: 'multi_tool',
      ...rest,
      orchestrator: textMember(metadata, 'orchestrator') ?? 'sequential',
      tools: pipeline.map((entry, position) => numberedTool(entry, placeholders[position] ?? null, tools)),
      functions: functions.map(({ stored }) => stored),
    },
    template: renameSlots(template, slotRenames(pipeline, placeholders, tools)),
  };
}

function numberedTool({ plugin, entry }: ToolEntry, placeholder: string | null, tools: ToolVocabulary): JsonObject {
  const { type: _type, plugin: _plugin, placeholder: _placeholder, ...rest } = entry;
  return {
    plugin: tools.canonicalName(plugin),
    ...(placeholder === null ? {} : { placeholder }),
    enabled: member(entry, 'enabled') !== false,
    config: {},
    ...rest,
  };
}

function slotRenames(
  pipeline: readonly ToolEntry[],
  placeholders: readonly (string | null)[],
  tools: ToolVocabulary,
): Map<string, string[]> {
  const renames = new Map<string, string[]>();
  for (const [position, entry] of pipeline.entries()) {
    const from = unnumberedName(entry, tools);
    const to = placeholders[position] ?? null;
    if (from === null || to === null || from === to) continue;
    renames.set(from, [...(renames.get(from) ?? []), to]);
  }
  return renames;
}
