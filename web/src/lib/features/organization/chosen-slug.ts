import { session } from '$lib/app/session/session.svelte';

/** The organization that the pages are about: the reader's own, or the one that a system administrator named. */
export function chosenSlug(url: URL): string {
  const named = url.searchParams.get('org');
  const own = session.me?.organization.slug ?? '';
  return named !== null && session.me?.system_admin === true ? named : own;
}

/** The address of a page of an organization: the reader's own, or the one that a system administrator looks at. */
export const hrefWithin = (path: string, slug: string): string =>
  slug === session.me?.organization.slug ? path : `${path}?org=${encodeURIComponent(slug)}`;
