import { session } from '$lib/session/session.svelte';

const within = (path: string, slug: string): string =>
  slug === session.me?.organization.slug ? path : `${path}?org=${encodeURIComponent(slug)}`;

export const issuersHref = (slug: string): string => within('/organization/sign-on', slug);
export const newIssuerHref = (slug: string): string => within('/organization/sign-on/create', slug);
export const issuerHref = (slug: string, key: string): string =>
  within(`/organization/sign-on/issuers/${encodeURIComponent(key)}`, slug);
