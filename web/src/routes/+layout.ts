import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { session } from '$lib/app/session/session.svelte';

export const ssr = false;
export const prerender = false;

/** The reader's texts and who is signed in. `problem` is what stood in the way; without texts there are no words for it. */
export async function load(): Promise<{ hasTexts: boolean; problem: unknown }> {
  const [texts, who] = await Promise.allSettled([i18n.start(), session.load()]);
  return { hasTexts: texts.status === 'fulfilled', problem: who.status === 'rejected' ? who.reason : null };
}
