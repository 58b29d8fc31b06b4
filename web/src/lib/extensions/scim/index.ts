import type { Parts } from '$lib/app/slots';

export const slots: Parts = { groups: () => import('./DirectoryCard.svelte') };
