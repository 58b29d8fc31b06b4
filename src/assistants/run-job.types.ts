import type { Caller, ChatMessage, EmitRunEvent, JsonObject } from '@bellwether/kernel';
import type { AssistantAbility, FunctionDeclaration } from '../tools';
import type { RunnableAssistant } from './access/assistant.types';

export interface RunJob {
  readonly assistant: RunnableAssistant;
  readonly caller: Caller;
  readonly messages: readonly ChatMessage[];
  /** `metadata` of the request, or empty. */
  readonly metadata: JsonObject;
  /** The members of the request beside model and messages; tools can read them. */
  readonly params?: JsonObject;
  readonly run: { readonly id: string; readonly signal: AbortSignal; readonly emit: EmitRunEvent };
  readonly stream: boolean;
  /** null inside a nested run. */
  readonly assistants: AssistantAbility | null;
  readonly functions: readonly FunctionDeclaration[];
}
