import { Inject, Injectable } from '@nestjs/common';
import type { ModelRequest } from '../../connectors';
import { AppError, type JsonObject } from '../../kernel';
import { CONFIG, type Config } from '../../infrastructure/config';
import { FunctionInvoker, type FunctionSet } from '../../tools';
import { callsMessage, resultMessage, withOwnIds } from './call-messages';
import { CallRounds } from './call-round';
import type { LoopInput } from './tool-loop.types';
import { wantsFunctions } from './wants-functions';

/**
 * Asks a model until it answers without a function call, and runs the calls in between. Every end of a function is a
 * result for the model; none ends the run.
 */
@Injectable()
export class ToolLoop {
  constructor(
    private readonly invoker: FunctionInvoker,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * @throws AppError `tool_loop.limit` when the model still calls functions in the last round or the tokens are spent;
   * the errors of `ask`; the signal's reason once it is aborted
   */
  async run(input: LoopInput): Promise<void> {
    const { functions, signal, budget, messages, ask } = input;
    const { maxRounds, parallelLimit } = this.config.tools;
    const rounds = new CallRounds(this.invoker, functions, { ...input.invocation, budget }, parallelLimit);
    const request = { ...input.request, params: withFunctions(input.request.params, functions) };
    const taken = new Set<string>();
    for (let round = 1; ; round += 1) {
      const answer = await ask(this.asked(request, input), round);
      budget.spend(answer.usage);
      signal.throwIfAborted();
      if (!wantsFunctions(answer.calls.length, answer.finishReason)) return;
      if (round >= maxRounds) throw limit(`The model still asked for functions in round ${round}, the last one`);
      if (budget.isSpent) throw limit('The run has spent its tokens, and the model asked for more functions');
      const calls = withOwnIds(answer, taken);
      const settled = await rounds.run(calls, round, signal);
      const outcomes = input.numbered?.(settled) ?? settled;
      messages.push(callsMessage(answer, calls), ...outcomes.map(resultMessage));
      for (const outcome of outcomes) budget.spend(outcome.usage);
      input.onRound?.(outcomes);
      signal.throwIfAborted();
    }
  }

  /** A copy: a connector may still hold the earlier one. */
  private asked(request: ModelRequest, { messages }: LoopInput): ModelRequest {
    return { ...request, messages: [...messages] };
  }
}

const limit = (detail: string): AppError => new AppError('tool_loop.limit', detail);

const withFunctions = (params: JsonObject, functions: FunctionSet): JsonObject => ({
  ...params,
  tools: functions.declarations.map((declaration) => ({ type: 'function', function: declaration })),
});
