import { canonicalJson } from '../../runs/receipts';
import type { RecordedCall, Recording } from '../../runs';
import {
  type FunctionOutput,
  type FunctionPlugin,
  FunctionSet,
  NO_FUNCTIONS,
  parsedArguments,
  type ToolDefinition,
  ToolFailure,
} from '../../tools';

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
export function recordedFunctions({ functions }: Recording): FunctionSet | null {
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
