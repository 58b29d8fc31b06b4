import type { BlobSpace } from '../places/blob-place.types';

/** Larger than any upload or generated image, so that every stored file can be read. */
export const READ_MAX_BYTES = 24 * 1024 * 1024;

/** Folder of one user's files. */
export const spaceOf = (organizationId: string, userId: string): BlobSpace => ['files', organizationId, userId];
