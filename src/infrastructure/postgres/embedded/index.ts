export { DirectoryInUseError } from './directory-lock';
export { type EmbeddedDatabase, type EmbeddedOptions, runningEmbeddedUrl, startEmbedded } from './embedded-database';
export { type Snapshot, type SnapshotOptions, takeSnapshot } from './snapshot';
