import type { Caller, ChatMessage, EmitRunEvent, JsonObject } from '../kernel';
import type { AssistantAbility, FunctionDeclaration } from '../tools';
import type { RunnableAssistant } from './assistant.types';

/** What floor 10 is given to build the final messages of one completion. */
export interface RunJob {
  readonly assistant: RunnableAssistant;
  readonly caller: Caller;
  readonly messages: readonly ChatMessage[];
  /** `metadata` of the request; empty when it has none. */
  readonly metadata: JsonObject;
  readonly run: { readonly id: string; readonly signal: AbortSignal; readonly emit: EmitRunEvent };
  readonly stream: boolean;
  /** null inside a nested run. */
  readonly assistants: AssistantAbility | null;
  /** What the model will be offered, in the order of the document's functions. */
  readonly functions: readonly FunctionDeclaration[];
}
