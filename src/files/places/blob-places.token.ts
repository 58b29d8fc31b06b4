/** Injection token of the configured places: `readonly BlobPlace[]`, the disk first. */
export const BLOB_PLACES = Symbol('BlobPlaces');
