import type { RewriteSubject } from '../../assistants';
import { type MetadataVersion, parseMetadata, runningVersion, versionProblem } from '../../assistants/definition';

/** Metadata version of a stored document; null when it cannot be read or the version is unknown. */
export function storedVersion({ definition }: RewriteSubject): MetadataVersion | null {
  const parsed = parseMetadata(definition.metadata);
  return parsed.ok && versionProblem(parsed.metadata) === null ? runningVersion(parsed.metadata) : null;
}
