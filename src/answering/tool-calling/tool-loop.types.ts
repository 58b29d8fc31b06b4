import type { EchoedMembers, ModelRequest } from '../../connectors';
import type { ChatMessage, FunctionCall, Usage } from '../../kernel';
import type { RunBudget } from '../../runs';
import type { FunctionInvocation, FunctionOutcome, FunctionSet } from '../../tools';

/** The answer to one model request of a run. */
export interface RoundAnswer {
  readonly text: string;
  /** Complete, each with an id. */
  readonly calls: readonly FunctionCall[];
  /** Absent where the vendor sent none. */
  readonly echoed?: EchoedMembers;
  readonly finishReason: string;
  readonly usage: Usage | null;
}

export interface LoopInput {
  /** With the prompt's messages and the caller's parameters; without functions. */
  readonly request: ModelRequest;
  readonly functions: FunctionSet;
  readonly signal: AbortSignal;
  readonly budget: RunBudget;
  readonly invocation: Omit<FunctionInvocation, 'scope' | 'budget'>;
  /** Asks the model, and delivers what it says meanwhile. `round` counts from 1. */
  readonly ask: (request: ModelRequest, round: number) => Promise<RoundAnswer>;
  /** The outcomes of a round with the numbers of their sources written in, before the model reads them. */
  readonly numbered?: (outcomes: readonly FunctionOutcome[]) => readonly FunctionOutcome[];
  /** Told the outcomes of a round, in call order, when its last call has ended. */
  readonly onRound?: (outcomes: readonly FunctionOutcome[]) => void;
  /**
   * Grows with the run: the prompt's messages, then what the model asked for and what it got. Every call in it has exactly
   * one result, in the order of the calls, however the run ends.
   */
  readonly messages: ChatMessage[];
}
