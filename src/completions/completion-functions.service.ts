import { Injectable } from '@nestjs/common';
import type { ModelRequest, ResolvedModel } from '../connectors';
import { addUsage, type ChatMessage } from '../kernel';
import { ToolLoop } from '../tool-calling';
import { functionEntries, FunctionOffers, type FunctionOutcome, type FunctionSet, NO_FUNCTIONS } from '../tools';
import { addCallSources } from './call-sources';
import type { AnswerWriter, Completion, ModelCall } from './completion.types';

/** The functions of one completion: which the model may call, and the rounds in which it does. */
@Injectable()
export class CompletionFunctions {
  constructor(
    private readonly offers: FunctionOffers,
    private readonly loop: ToolLoop,
  ) {}

  /** What the model is told of; nothing in a nested run, and nothing to do for an assistant without functions. */
  async offer(completion: Completion, resolved: ResolvedModel | null): Promise<FunctionSet> {
    const { assistant, depth, facts, request, run } = completion;
    const { functions: stored } = assistant.document;
    if (stored.length === 0 || depth > 0) return NO_FUNCTIONS;
    const warn = (code: string, message: string): void => {
      facts.warnings.push(message);
      run.emit({ type: 'warning', code, message });
    };
    facts.functions = NO_FUNCTIONS;
    if (request.params['tool_choice'] === 'none') return NO_FUNCTIONS;
    if (resolved !== null && !resolved.connector.definition.capabilities.functions) {
      const { name } = resolved.connector.definition;
      warn('functions.unsupported', `The connector ${name} cannot call functions: the model was offered none`);
      return NO_FUNCTIONS;
    }
    const { functions, warnings } = await this.offers.offer(functionEntries(stored), {
      signal: run.signal,
      owner: assistant.owner,
      caller: run.input.caller,
      assistantId: assistant.id,
      assistants: completion.assistants,
    });
    for (const { code, message } of warnings) warn(code, message);
    facts.functions = functions;
    return functions;
  }

  /** Asks the model until it has answered. @throws AppError `tool_loop.limit`, and what asking throws. */
  async rounds(
    completion: Completion,
    functions: FunctionSet,
    request: ModelRequest,
    { writer, call }: { writer: AnswerWriter; call: ModelCall },
  ): Promise<void> {
    const { assistant, budget, facts, run } = completion;
    const messages: ChatMessage[] = [...request.messages];
    await this.loop.run({
      request,
      functions,
      budget,
      messages,
      signal: run.signal,
      invocation: {
        runId: run.id,
        owner: assistant.owner,
        caller: run.input.caller,
        assistantId: assistant.id,
        connector: assistant.document.connector,
        assistants: completion.assistants,
        emit: run.emit,
      },
      ask: (asked, round) => {
        const { connector } = facts;
        if (round > 1) run.emit({ type: 'llm.started', connector: connector ?? '', model: call.model, round });
        return writer.round(call, asked);
      },
      onRound: (outcomes) => this.keep(completion, outcomes),
    });
  }

  private keep({ facts, run }: Completion, outcomes: readonly FunctionOutcome[]): void {
    for (const outcome of outcomes) {
      facts.calls.push(outcome);
      if (outcome.status !== 'completed') continue;
      facts.usage = addUsage(facts.usage, outcome.usage);
      addCallSources(facts, outcome.sources);
      for (const message of outcome.warnings) {
        facts.warnings.push(message);
        run.emit({ type: 'warning', code: 'tool.degraded', message });
      }
    }
  }
}
