import type { JsonObject } from '../../kernel';
import { type AssistantType, METADATA_VERSIONS, type MetadataVersion } from '../assistant.types';
import { member } from './parse-metadata';
import { readToolEntries } from './tool-entries';

export const isMetadataVersion = (value: unknown): value is MetadataVersion =>
  METADATA_VERSIONS.some((version) => version === value);

/** The declared version; else what the document's shape tells. */
export function metadataVersion(metadata: JsonObject): MetadataVersion {
  const declared = member(metadata, '_format_version');
  if (isMetadataVersion(declared)) return declared;
  if (member(metadata, 'assistant_type') === 'multi_tool') return 3;
  return readToolEntries(metadata).pipeline.length > 0 ? 2 : 1;
}

/** Spec 000 §6.1, and version 2 documents run as multi-tool whatever they say. */
export const assistantType = (metadata: JsonObject): AssistantType =>
  member(metadata, 'assistant_type') === 'multi_tool' || metadataVersion(metadata) === 2 ? 'multi_tool' : 'classic';
