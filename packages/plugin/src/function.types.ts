import type { Caller, JsonObject, Principal, Source, Usage } from '@bellwether/kernel';
import type { AssistantAbility, Citation } from './assistant-ability.types';
import type { ConfigGap, ToolDefinition } from './tool.types';

/** The declaration of one function for a model; `parameters` is a JSON Schema of type `object` (OpenAI API reference, "function"). */
export interface FunctionDeclaration {
  /** `[A-Za-z0-9_-]{1,64}`, one of its kind in a run. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** One entry of a document's `functions`, as stored. */
export interface FunctionEntry {
  /** Position among the document's functions, from 0. */
  readonly index: number;
  /** Name of the function plugin: `weather`, `assistant`, `knowledge_base`, … */
  readonly type: string;
  /** The stored entry without `type`. */
  readonly config: JsonObject;
}

/** The result of a function. `content` is data for the model, cut at a limit, never an instruction of ours. */
export interface FunctionOutput {
  readonly content: string;
  readonly sources?: readonly Source[];
  /** Ascending by `at`. */
  readonly citations?: readonly Citation[];
  /** Tokens that were spent on it; counted for the run. */
  readonly usage?: Usage | null;
  /** Degraded work the user should know of. */
  readonly warnings?: readonly string[];
}

export interface OfferContext {
  readonly signal: AbortSignal;
  /** Content is reached with the rights of the assistant's owner. */
  readonly owner: Principal;
  readonly caller: Caller;
  readonly assistantId: number;
  /** null inside a nested run. */
  readonly assistants: AssistantAbility | null;
}

export interface FunctionContext extends OfferContext {
  readonly runId: string;
  /** Connector that the assistant names, `auto` for the organization's default. */
  readonly connector: string;
  /** Emits `tool.progress` for this call: one line, identifiers only. */
  readonly progress: (message: string) => void;
}

/**
 * A plugin whose functions a model may call. `config` has passed `definition.config_schema`. An error of `call` becomes a
 * tool result: a `ToolFailure`'s text as it is (so it names no reason of access and no ids), anything else as a neutral line.
 */
export interface FunctionPlugin<Config = JsonObject> {
  readonly definition: ToolDefinition;
  /** Milliseconds a call may take; `TOOL_DEFAULT_TIMEOUT` without it. The run's deadline holds in any case. */
  readonly timeoutMs?: number;
  /** The functions of one entry, on fresh rows; none where the owner may not use it (any more). */
  offer(config: Config, context: OfferContext): Promise<readonly FunctionDeclaration[]>;
  /** `args` has passed the schema of the declaration called `name`. */
  call(name: string, args: JsonObject, config: Config, context: FunctionContext): Promise<FunctionOutput>;
  /** Required choices that are still empty, and references that `owner` may not read; asked at save. */
  gaps?(config: Config, owner: Principal): Promise<readonly ConfigGap[]>;
}
