import { i18n } from '$lib/i18n/i18n.svelte';

export const ssr = false;
export const prerender = false;

export async function load(): Promise<void> {
  await i18n.start();
}
