import { hrefWithin } from '$lib/features/organization/chosen-slug';

export const platformsHref = (slug: string): string => hrefWithin('/organization/platforms', slug);
export const newPlatformHref = (slug: string): string => hrefWithin('/organization/platforms/create', slug);
export const platformHref = (slug: string, id: string): string =>
  hrefWithin(`/organization/platforms/${encodeURIComponent(id)}`, slug);
export const bridgeHref = (slug: string): string => hrefWithin('/organization/platforms/bridge', slug);
