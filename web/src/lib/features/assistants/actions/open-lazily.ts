import { toasts } from '$lib/kit/ui/toasts.svelte';

/** A component that is fetched when it is first needed; null, with a note to the reader, when it cannot be. */
export async function openLazily<Part>(load: () => Promise<{ default: Part }>): Promise<Part | null> {
  try {
    return (await load()).default;
  } catch (error) {
    toasts.problem(error);
    return null;
  }
}
