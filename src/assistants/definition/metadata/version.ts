import type { JsonObject, Problem } from '@bellwether/kernel';
import { type AssistantType, METADATA_VERSIONS, type MetadataVersion } from './document.types';
import { member } from './parse-metadata';
import { readToolEntries } from './tool-entries';

export const isMetadataVersion = (value: unknown): value is MetadataVersion =>
  METADATA_VERSIONS.some((version) => version === value);

/** The declared version, else the one of the document's shape. */
export function metadataVersion(metadata: JsonObject): MetadataVersion {
  const declared = member(metadata, '_format_version');
  if (isMetadataVersion(declared)) return declared;
  if (member(metadata, 'assistant_type') === 'multi_tool') return 3;
  return readToolEntries(metadata).pipeline.length > 0 ? 2 : 1;
}

/** Version 2 documents always run as multi-tool (docs/reference/metadata.md). */
export const assistantType = (metadata: JsonObject): AssistantType =>
  member(metadata, 'assistant_type') === 'multi_tool' || metadataVersion(metadata) === 2 ? 'multi_tool' : 'classic';

/** The version for runs and migrations: a document that runs as classic is 1, whatever it declares. */
export function runningVersion(metadata: JsonObject): MetadataVersion {
  if (assistantType(metadata) === 'classic') return 1;
  return metadataVersion(metadata) === 2 ? 2 : 3;
}

const NEWEST = Math.max(...METADATA_VERSIONS);

/** Problem of a declared version; null for a known or absent one. */
export function versionProblem(metadata: JsonObject): Problem | null {
  const declared = member(metadata, '_format_version') ?? null;
  if (declared === null || isMetadataVersion(declared)) return null;
  const path = 'metadata._format_version';
  return Number.isInteger(declared) && (declared as number) > NEWEST
    ? { path, code: 'metadata.future_version', message: `is newer than ${NEWEST}, the newest version known here` }
    : { path, code: 'metadata.invalid', message: `must be ${METADATA_VERSIONS.join(', ')} or absent` };
}
