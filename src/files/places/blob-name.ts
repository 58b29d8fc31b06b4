import { uuidv7 } from '../../kernel';
import type { PlaceName } from './blob-place.types';

/** Prefix of the names of blobs in a bucket. Names on disk are bare ids. */
export const S3_MARK = 's3-';
const SAFE_PART = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The name contains its place: a separate column could disagree with it. */
export const newBlobName = (place: PlaceName): string => `${place === 's3' ? S3_MARK : ''}${uuidv7()}`;

export const placeOf = (name: string): PlaceName => (name.startsWith(S3_MARK) ? 's3' : 'disk');

/** A part of a path or key. @throws {Error} for anything but generated names */
export function checkedPart(part: string): string {
  if (!SAFE_PART.test(part)) throw new Error('Not a storage name');
  return part;
}
