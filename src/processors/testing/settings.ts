import type { ToolContext, ToolInput } from '../../tools';
import type { PromptInput, RagSettings } from '../contract';

/** Settings of a classic assistant that has chosen nothing. */
export const settings = (chosen: Partial<RagSettings> = {}): RagSettings => ({
  collections: [],
  topK: 3,
  rubricId: null,
  rubricFormat: 'markdown',
  filePath: null,
  ...chosen,
});

export const INPUT: ToolInput = { query: 'why?', messages: [{ role: 'user', content: 'why?' }] };

/** The part of a call's context that processors use; progress texts are collected. */
export function context(): ToolContext & { readonly told: string[] } {
  const told: string[] = [];
  const owner = { organizationId: 'org', userId: 'owner' };
  const signal = new AbortController().signal;
  const caller = { organizationId: 'org', userId: 'student' };
  return { told, owner, caller, signal, runId: 'run', progress: (message: string) => void told.push(message) } as never;
}

/** Input of a prompt processor for an empty assistant. */
export const EMPTY_PROMPT: PromptInput = {
  messages: [],
  systemPrompt: '',
  template: '',
  rag: null,
  vision: false,
  functions: [],
  gathered: new Map(),
};
