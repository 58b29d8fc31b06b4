import { hrefWithin } from '$lib/features/organization/chosen-slug';

export const issuersHref = (slug: string): string => hrefWithin('/organization/sign-on', slug);
export const newIssuerHref = (slug: string): string => hrefWithin('/organization/sign-on/create', slug);
export const issuerHref = (slug: string, key: string): string =>
  hrefWithin(`/organization/sign-on/issuers/${encodeURIComponent(key)}`, slug);
