import { Injectable } from '@nestjs/common';
import type { ModelRequest, ResolvedModel } from '../../connectors';
import { ToolLoop } from '../tool-calling';
import { functionEntries, FunctionOffers, type FunctionSet, NO_FUNCTIONS } from '../../tools';
import type { Completion } from '../completion/completion.types';
import { recordedFunctions } from '../replay/recorded-functions';
import type { AnswerInProgress, ModelRequests } from './model-requests';

interface OfferedFunctions {
  /** Null for assistants without functions. */
  readonly functions: FunctionSet | null;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** Offers functions to the model and runs the tool loop. */
@Injectable()
export class CompletionFunctions {
  constructor(
    private readonly offers: FunctionOffers,
    private readonly loop: ToolLoop,
  ) {}

  /** Nested runs have no functions. */
  async offer(completion: Completion, resolved: ResolvedModel | null): Promise<OfferedFunctions> {
    const { assistant, depth, recorded, request, run } = completion;
    if (recorded !== null) return { functions: recordedFunctions(recorded.recording), warnings: [] };
    const { functions: stored } = assistant.document;
    if (stored.length === 0 || depth > 0) return { functions: null, warnings: [] };
    if (request.params['tool_choice'] === 'none') return { functions: NO_FUNCTIONS, warnings: [] };
    if (resolved !== null && !resolved.connector.definition.capabilities.functions) {
      const { name } = resolved.connector.definition;
      const message = `The connector ${name} cannot call functions: the model was offered none`;
      return { functions: NO_FUNCTIONS, warnings: [{ code: 'functions.unsupported', message }] };
    }
    return this.offers.offer(functionEntries(stored), {
      signal: run.signal,
      owner: assistant.owner,
      caller: run.input.caller,
      assistantId: assistant.id,
      assistants: completion.assistants,
    });
  }

  /** Runs the tool loop. @throws AppError `tool_loop.limit`, and the errors of model requests */
  async rounds(
    { completion, ledger, tell }: AnswerInProgress,
    functions: FunctionSet,
    request: ModelRequest,
    requests: ModelRequests,
  ): Promise<void> {
    const { assistant, budget, run } = completion;
    await this.loop.run({
      request,
      functions,
      budget,
      messages: [...request.messages],
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
      ask: async (asked, round) => {
        if (round > 1) {
          await completion.assertAllowed();
          run.emit({ type: 'llm.started', connector: ledger.vendor.connector ?? '', model: request.model, round });
        }
        return requests.round(asked, round);
      },
      numbered: (outcomes) => ledger.numbered(outcomes),
      onRound: (outcomes) => {
        ledger.called(outcomes);
        tell({ type: 'sources', sources: ledger.sources });
      },
    });
  }
}
