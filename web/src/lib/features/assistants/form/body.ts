import type { Assistant, Metadata } from '$lib/app/catalogues/assistant';
import { metadataOf } from '$lib/app/catalogues/assistant';

/** Body that a form saves: the members of `CreateAssistantDto` that it edits. */
export interface DefinitionBody {
  readonly name: string;
  readonly description: string;
  readonly system_prompt: string;
  readonly prompt_template: string;
  readonly metadata: Metadata;
  /** Classic assistants only. */
  readonly RAG_collections?: readonly string[];
  readonly RAG_Top_k?: number;
}

export const NEW_CLASSIC: DefinitionBody = {
  name: '',
  description: '',
  system_prompt: '',
  prompt_template: '{user_input}',
  metadata: { prompt_processor: 'simple_augment', rag_processor: 'no_rag', connector: 'auto' },
  RAG_collections: [],
  RAG_Top_k: 3,
};

export const NEW_MULTI_TOOL: DefinitionBody = {
  name: '',
  description: '',
  system_prompt: '',
  prompt_template: '{user_input}',
  metadata: { assistant_type: 'multi_tool' },
};

/** Stored definition, in the shape that a form saves. */
export function bodyOf(assistant: Assistant): DefinitionBody {
  const common = {
    name: assistant.name,
    description: assistant.description,
    system_prompt: assistant.system_prompt ?? '',
    prompt_template: assistant.prompt_template ?? '',
    metadata: metadataOf(assistant),
  };
  if (assistant.type === 'multi_tool') return common;
  return { ...common, RAG_collections: assistant.RAG_collections ?? [], RAG_Top_k: assistant.RAG_Top_k ?? 3 };
}

/** `object` without the members that are undefined. */
export function defined<Value extends Readonly<Record<string, unknown>>>(object: Value): Value {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Value;
}
