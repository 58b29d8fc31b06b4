import { AppError } from '../../kernel';

export const MAX_DIMENSIONS = 8_192;

/** Scales the vector to length 1. @throws AppError `upstream_bad_response` for zero vectors and non-finite numbers */
export function unitVector(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length < 1e-12) {
    throw new AppError('upstream_bad_response', 'The embedding model gave a vector without a direction');
  }
  return vector.map((value) => value / length);
}
