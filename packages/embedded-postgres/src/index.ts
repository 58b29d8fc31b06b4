export { livenessOf, ownIdentity, type ProcessIdentity } from './directory-lock';
export { type EmbeddedDatabase, runningEmbeddedUrl, startEmbedded } from './embedded-database';
export { type SnapshotOptions, takeSnapshot } from './snapshot';
