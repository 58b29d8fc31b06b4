import { isJsonObject, type JsonObject } from '../../../kernel';
import type { ToolVocabulary } from './metadata.types';
import { member, parseMetadata, textMember } from './parse-metadata';
import { assignPlaceholders } from './placeholders';
import { readToolEntries } from './tool-entries';
import { assistantType, metadataVersion } from './version';

/**
 * Completes a version 3 document with `_format_version`, the placeholder of each tool, and `plugin` in place of `type`.
 * Other versions and complete documents are returned unchanged.
 */
export function canonicalMetadata(text: string, tools: ToolVocabulary): string {
  const parsed = parseMetadata(text);
  if (!parsed.ok) return text;
  const { metadata } = parsed;
  if (assistantType(metadata) !== 'multi_tool' || metadataVersion(metadata) !== 3) return text;
  const completed = completeDocument(metadata, tools);
  return completed === metadata ? text : JSON.stringify(completed);
}

function completeDocument(metadata: JsonObject, tools: ToolVocabulary): JsonObject {
  const entries = completeTools(metadata, tools);
  const isVersioned = member(metadata, '_format_version') === 3;
  if (isVersioned && entries === null) return metadata;
  const { _format_version: _none, ...rest } = metadata;
  const document = isVersioned ? metadata : { _format_version: 3, ...rest };
  return entries === null ? document : { ...document, tools: entries };
}

/** Null when no entry changes. */
function completeTools(metadata: JsonObject, tools: ToolVocabulary): readonly unknown[] | null {
  const { pipeline } = readToolEntries(metadata);
  const placeholders = assignPlaceholders(pipeline, 3, tools);
  const changed = new Map<number, JsonObject>();
  for (const [position, { index, plugin, entry }] of pipeline.entries()) {
    const placeholder = placeholders[position] ?? null;
    const isNamed = textMember(entry, 'plugin') !== null;
    const isPlaced = placeholder === null || textMember(entry, 'placeholder') !== null;
    if (isNamed && isPlaced) continue;
    const { type, plugin: _plugin, placeholder: _placeholder, ...rest } = entry;
    changed.set(index, {
      plugin: isNamed ? member(entry, 'plugin') : tools.canonicalName(plugin),
      ...(isNamed && type !== undefined ? { type } : {}),
      ...(isPlaced ? given(entry) : { placeholder }),
      ...rest,
    });
  }
  const list = member(metadata, 'tools');
  return changed.size === 0 || !Array.isArray(list)
    ? null
    : list.map((entry: unknown, index) => changed.get(index) ?? entry);
}

const given = (entry: JsonObject): JsonObject =>
  Object.hasOwn(entry, 'placeholder') ? { placeholder: entry['placeholder'] } : {};

/** Sets `capabilities.tool_use` in answers: true when the document has functions. */
export function withToolUse(metadata: JsonObject): JsonObject {
  const tool_use = readToolEntries(metadata).functions.length > 0;
  const capabilities = member(metadata, 'capabilities');
  if (isJsonObject(capabilities)) {
    return member(capabilities, 'tool_use') === tool_use
      ? metadata
      : { ...metadata, capabilities: { ...capabilities, tool_use } };
  }
  const isFree = capabilities === undefined || capabilities === null;
  return tool_use && isFree ? { ...metadata, capabilities: { tool_use } } : metadata;
}
