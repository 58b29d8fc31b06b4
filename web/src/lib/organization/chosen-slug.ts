import { session } from '$lib/session/session.svelte';

/** The organization that the pages are about: the reader's own, or the one that a system administrator named. */
export function chosenSlug(url: URL): string {
  const named = url.searchParams.get('org');
  const own = session.me?.organization.slug ?? '';
  return named !== null && session.me?.system_admin === true ? named : own;
}
