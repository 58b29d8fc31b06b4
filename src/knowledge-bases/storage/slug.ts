import { isUuid } from '@bellwether/kernel';

export const SLUG_MAX = 63;
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** A slug must not look like a UUID or a number: references to knowledge bases and external collections have these forms. */
export const isSlug = (text: string): boolean =>
  text.length <= SLUG_MAX && SLUG_PATTERN.test(text) && /[a-z]/.test(text) && !isUuid(text);

/** Slug of a name: Latin letters without accents, digits and hyphens. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_MAX - 4)
    .replace(/^-+|(?<!-)-+$/g, '');
  if (isSlug(plain)) return plain;
  return plain === '' ? 'kb' : `kb-${plain}`.slice(0, SLUG_MAX - 4).replace(/(?<!-)-+$/, '');
}
