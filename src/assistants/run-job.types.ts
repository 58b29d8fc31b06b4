import type { Caller, ChatMessage, EmitRunEvent, JsonObject } from '../kernel';
import type { AssistantAbility, FunctionDeclaration } from '../tools';
import type { RunnableAssistant } from './access/assistant.types';

/** Input for the final messages of one completion. */
export interface RunJob {
  readonly assistant: RunnableAssistant;
  readonly caller: Caller;
  readonly messages: readonly ChatMessage[];
  /** `metadata` of the request, or empty. */
  readonly metadata: JsonObject;
  readonly run: { readonly id: string; readonly signal: AbortSignal; readonly emit: EmitRunEvent };
  readonly stream: boolean;
  /** null inside a nested run. */
  readonly assistants: AssistantAbility | null;
  /** Functions offered to the model, in the order of the document. */
  readonly functions: readonly FunctionDeclaration[];
}
