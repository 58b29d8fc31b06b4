import { invalid } from '../../kernel';

/** Lower-case letters and digits with single hyphens between them; linear to match. */
export const SLUG = /^[a-z0-9](-?[a-z0-9])*$/;
const SHORTEST = 2;
const LONGEST = 63;
export const SLUG_LENGTH = { shortest: SHORTEST, longest: LONGEST } as const;

/** For slugs that no DTO has checked. @throws {AppError} `validation_failed` */
export function assertSlug(slug: string): void {
  if (slug.length >= SHORTEST && slug.length <= LONGEST && SLUG.test(slug)) return;
  const message = `must hold ${SHORTEST} to ${LONGEST} lower-case letters, digits and single hyphens`;
  throw invalid([{ path: 'slug', message }]);
}
