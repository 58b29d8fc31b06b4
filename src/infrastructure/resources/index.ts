export { type VersionedChange, type VersionedRequest, VersionedResource } from './versioned-resource';
