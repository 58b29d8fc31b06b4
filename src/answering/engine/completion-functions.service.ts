import type { Awaitable } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { ModelRequest, ResolvedModel } from '../../connectors';
import type { RecordedCall, Recording } from '../../runs';
import { canonicalJson } from '../../runs/receipts';
import {
  FunctionOffers,
  type FunctionOutput,
  type FunctionPlugin,
  FunctionSet,
  NO_FUNCTIONS,
  type ToolDefinition,
  ToolFailure,
  functionEntries,
  parsedArguments,
} from '../../tools';
import type { Completion } from '../completion.types';
import { ToolLoop } from '../tool-calling';
import type { AnswerInProgress, ModelRequests } from './model-requests';

const DEFINITION: ToolDefinition = {
  name: 'recorded',
  aliases: [],
  display_name: 'Recorded result',
  description: 'Answers with the result of a recorded run.',
  placeholder: null,
  category: 'replay',
  version: '1.0.0',
  config_schema: { type: 'object' },
  kind: 'function',
  icon: 'tool',
  allow_multiple: true,
  parameters: {},
  examples: [],
  capabilities: [],
  limitations: [],
  cost: { unit: 'none', estimate: 0 },
};

const callKey = (name: string, args: unknown): string => `${name} ${canonicalJson(args)}`;

/** The functions of a recorded run. A call with recorded arguments gets its recorded result; any other call fails. */
function recordedFunctions({ functions }: Recording): FunctionSet | null {
  if (functions === null) return null;
  if (functions.declarations.length === 0) return NO_FUNCTIONS;
  const results = resultsOf(functions.calls);
  const plugin: FunctionPlugin = {
    definition: DEFINITION,
    offer: () => Promise.resolve(functions.declarations),
    call: (name, args) => Promise.resolve(outputOf(results.get(callKey(name, args)))),
  };
  return new FunctionSet(
    functions.declarations.map((declaration) => ({ declaration, plugin, config: {}, check: () => null })),
  );
}

/** Equal calls of one run may have had different results, which are given in their order. The last one is given again. */
function resultsOf(calls: readonly RecordedCall[]): Map<string, RecordedCall[]> {
  const results = new Map<string, RecordedCall[]>();
  for (const call of calls) {
    const args = parsedArguments(call.arguments);
    if (args === null) continue;
    const key = callKey(call.name, args);
    results.set(key, [...(results.get(key) ?? []), call]);
  }
  return results;
}

function outputOf(recorded: RecordedCall[] | undefined): FunctionOutput {
  const call = recorded !== undefined && recorded.length > 1 ? recorded.shift() : recorded?.[0];
  if (call === undefined) throw new ToolFailure('tool.failed', 'the recorded run has no call with these arguments');
  if (call.content === null) throw new ToolFailure('tool.failed', 'the result was personal and was not kept');
  return { content: call.content, sources: call.sources };
}

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
  offer(completion: Completion, resolved: ResolvedModel | null): Awaitable<OfferedFunctions> {
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
    { completion, builder, tell }: AnswerInProgress,
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
          run.emit({ type: 'llm.started', connector: builder.vendor.connector ?? '', model: request.model, round });
        }
        return requests.round(asked, round);
      },
      numbered: (outcomes) => builder.numbered(outcomes),
      onRound: (outcomes) => {
        builder.called(outcomes);
        tell({ type: 'sources', sources: builder.sources });
      },
    });
  }
}
