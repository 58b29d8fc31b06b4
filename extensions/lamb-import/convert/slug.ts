import { SLUG, SLUG_LENGTH } from '../../../src/organizations';
import type { LambOrganization } from '../source/lamb-source.types';

const { shortest, longest } = SLUG_LENGTH;

export const isSlug = (slug: string): boolean => slug.length >= shortest && slug.length <= longest && SLUG.test(slug);

/** The source's slug, or the nearest valid one. */
function validSlug(slug: string, id: number): string {
  const kept = slug
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-|-$/g, '');
  return isSlug(kept) ? kept : `organization-${id}`;
}

/** The slug of an organization here: the operator's choice, else the source's. */
export const slugHere = ({ id, slug }: LambOrganization, chosen: ReadonlyMap<string, string> | undefined): string =>
  chosen?.get(slug) ?? chosen?.get(String(id)) ?? validSlug(slug, id);

/** How to import an organization whose slug is taken. Names its id where the source has the slug twice. */
export function renameHint(
  { id, slug }: LambOrganization,
  organizations: readonly Pick<LambOrganization, 'slug'>[],
): string {
  const isUnique = organizations.filter((other) => other.slug === slug).length === 1;
  return `--rename ${isUnique ? slug : id}=<another slug> imports it under another slug`;
}
