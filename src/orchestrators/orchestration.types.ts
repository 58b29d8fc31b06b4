import type {
  Caller,
  ChatMessage,
  EmitRunEvent,
  JsonObject,
  PlanSummary,
  Principal,
  Source,
  Usage,
} from '@bellwether/kernel';
import type { AssistantAbility, ToolOutcome } from '../tools';
import type { CompiledPipeline } from './compile-pipeline';

export interface OrchestrationJob {
  readonly pipeline: CompiledPipeline;
  readonly systemPrompt: string;
  readonly messages: readonly ChatMessage[];
  readonly vision: boolean;
  readonly owner: Principal;
  readonly caller: Caller;
  readonly assistantId: number;
  readonly assistantVersion: number;
  /** `metadata` of the completion request. */
  readonly metadata: JsonObject;
  /** The members of the request beside model and messages. */
  readonly params?: JsonObject | undefined;
  /** Connector that the assistant names, `auto` for the organization's default. */
  readonly connector: string;
  readonly runId: string;
  /** null inside a nested run. */
  readonly assistants: AssistantAbility | null;
  readonly signal: AbortSignal;
  readonly emit: EmitRunEvent;
}

export interface OrchestrationWarning {
  readonly code: string;
  readonly message: string;
}

export interface OrchestrationResult {
  /** Name of the strategy that ran. */
  readonly strategy: string;
  /** One per enabled tool, in document order. */
  readonly outcomes: readonly ToolOutcome[];
  /** The outcomes whose content went into the prompt. */
  readonly inPrompt: readonly ToolOutcome[];
  readonly messages: readonly ChatMessage[];
  /** Every source of `inPrompt` once, in tool order, numbered from 1. */
  readonly sources: readonly Source[];
  /** Each has also been emitted as a `warning` event. */
  readonly warnings: readonly OrchestrationWarning[];
  /** Names of tools or steps, for reading; absent where the strategy has no stages. */
  readonly stages?: readonly (readonly string[])[];
  readonly plan?: PlanSummary;
  /** Tokens of the model requests that the strategy and the tools made. */
  readonly usage: Usage | null;
  /**
   * Runs the tools of the phase `answer` over the finished answer, once; one outcome each, in document order. Never rejects.
   * null where the assistant has none.
   */
  readonly afterAnswer: ((answer: string) => Promise<readonly ToolOutcome[]>) | null;
}
