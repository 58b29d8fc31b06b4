export { DirectoryInUseError } from './directory-lock';
export { type EmbeddedDatabase, type EmbeddedOptions, runningEmbeddedUrl, startEmbedded } from './embedded-database';
