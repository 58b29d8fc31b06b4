import { SLUG, SLUG_LENGTH } from '../../organizations';

const { shortest, longest } = SLUG_LENGTH;

/** The slug that an organization gets here: the source's, or the nearest that is possible. */
export function ownSlug(slug: string, id: number): string {
  const kept = slug
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-|-$/g, '');
  return kept.length >= shortest && SLUG.test(kept) ? kept : `organization-${id}`;
}
