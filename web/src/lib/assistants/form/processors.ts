import { api, must, type Schema } from '$lib/api/client';

interface Processors {
  readonly promptProcessors: readonly Schema<'ProcessorDto'>[];
  readonly ragProcessors: readonly Schema<'ProcessorDto'>[];
}
let known: Promise<Processors> | null = null;

/** What classic assistants can be made of; fetched once. A failed fetch is tried again on the next call. */
export function processors(): Promise<Processors> {
  known ??= fetchBoth().catch((error: unknown) => {
    known = null;
    throw error;
  });
  return known;
}

async function fetchBoth(): Promise<Processors> {
  const [prompt, rag] = await Promise.all([api.GET('/api/v1/prompt-processors'), api.GET('/api/v1/rag-processors')]);
  return { promptProcessors: must(prompt).prompt_processors, ragProcessors: must(rag).rag_processors };
}
