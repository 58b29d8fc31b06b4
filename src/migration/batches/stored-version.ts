import {
  type MetadataVersion,
  parseMetadata,
  type RewriteSubject,
  runningVersion,
  versionProblem,
} from '../../assistants';

/** Version from which a stored document would be migrated, without any proof. Null: it cannot be read, or is of no known version. */
export function storedVersion({ definition }: RewriteSubject): MetadataVersion | null {
  const parsed = parseMetadata(definition.metadata);
  return parsed.ok && versionProblem(parsed.metadata) === null ? runningVersion(parsed.metadata) : null;
}
