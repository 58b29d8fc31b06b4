import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import type { Assistant } from '$lib/app/catalogues/assistant';
import { bodyOf, NEW_CLASSIC, NEW_MULTI_TOOL } from './body';

/** The classic form with what it offers; its scripts come with it, those of the other type do not. */
export async function prepareClassic(assistant: Assistant | null) {
  const [connectors, processors, { default: Fields }, { ClassicForm }] = await Promise.all([
    catalogues.connectors(),
    catalogues.processors(),
    import('./ClassicFields.svelte'),
    import('./classic-form.svelte'),
  ]);
  const form = new ClassicForm(assistant === null ? NEW_CLASSIC : bodyOf(assistant), processors);
  return { type: 'classic' as const, form, Fields, connectors, processors };
}

/** The multi-tool form with what it offers. */
export async function prepareMultiTool(assistant: Assistant | null) {
  // The form names the strategy; nothing waits for it.
  catalogues.orchestrators().catch(() => undefined);
  const [connectors, catalogue, { default: Fields }, { MultiToolForm }] = await Promise.all([
    catalogues.connectors(),
    catalogues.tools(),
    import('./MultiToolFields.svelte'),
    import('./multi-tool-form.svelte'),
  ]);
  const form = new MultiToolForm(assistant === null ? NEW_MULTI_TOOL : bodyOf(assistant), catalogue);
  return { type: 'multi_tool' as const, form, Fields, connectors, catalogue };
}

export type Prepared = Awaited<ReturnType<typeof prepareClassic> | ReturnType<typeof prepareMultiTool>>;
