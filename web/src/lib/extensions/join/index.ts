import type { Parts } from '$lib/app/slots';

export const slots: Parts = { 'assistant.entrance': () => import('./JoinLinks.svelte') };
