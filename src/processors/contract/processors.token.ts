/** Injection tokens of all registered processors, in catalogue order. */
export const PROMPT_PROCESSORS = Symbol('PromptProcessors');
export const RAG_PROCESSORS = Symbol('RagProcessors');
