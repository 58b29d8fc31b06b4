import { api, must, type Schema } from '$lib/api/client';
import { catalogues } from '$lib/catalogues/catalogues.svelte';
import type { Assistant } from '$lib/definition/assistant';
import { bodyOf, NEW_CLASSIC, NEW_MULTI_TOOL } from './body';

interface Processors {
  readonly promptProcessors: readonly Schema<'ProcessorDto'>[];
  readonly ragProcessors: readonly Schema<'ProcessorDto'>[];
}
let known: Promise<Processors> | null = null;

/** What classic assistants can be made of; fetched once. A failed fetch is tried again on the next call. */
function processors(): Promise<Processors> {
  known ??= fetchProcessors().catch((error: unknown) => {
    known = null;
    throw error;
  });
  return known;
}

async function fetchProcessors(): Promise<Processors> {
  const [prompt, rag] = await Promise.all([api.GET('/api/v1/prompt-processors'), api.GET('/api/v1/rag-processors')]);
  return { promptProcessors: must(prompt).prompt_processors, ragProcessors: must(rag).rag_processors };
}

/** The classic form with what it offers; its scripts come with it, those of the other type do not. */
export async function prepareClassic(assistant: Assistant | null) {
  const [connectors, processing, { default: Fields }, { ClassicForm }] = await Promise.all([
    catalogues.connectors(),
    processors(),
    import('./ClassicFields.svelte'),
    import('./classic-form.svelte'),
  ]);
  const form = new ClassicForm(assistant === null ? NEW_CLASSIC : bodyOf(assistant));
  return { type: 'classic' as const, form, Fields, connectors, ...processing };
}

/** The multi-tool form with what it offers. */
export async function prepareMultiTool(assistant: Assistant | null) {
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
