import type { JsonObject } from '../../kernel';
import type { PreparedPrompt, RecordedCall, ReportResult, RunFacts } from '../../runs';
import type { FunctionOutcome, FunctionSet } from '../../tools';
import type { Completion } from '../completion/completion.types';
import { personalOf } from '../functions/report-calls';

interface Known {
  readonly prepared: PreparedPrompt | null;
  readonly calls: readonly FunctionOutcome[];
  readonly checks: readonly ReportResult[];
  readonly functions: FunctionSet | null;
  readonly fixed: string | null;
  readonly answer: string;
}

/** Question, prompt, tool results and answer of a run, for its recording and its receipt. */
export function runFacts(
  { request, assistant, instruction, definition, recorded }: Completion,
  known: Known,
): RunFacts {
  const { prepared, calls, checks, functions, fixed, answer } = known;
  const personal = functions === null ? new Set<string>() : personalOf(functions);
  return {
    request: { messages: request.messages, params: storedParams(request.params) },
    instruction,
    // The definition of a repetition with recorded results is only its frame.
    definition: recorded === null ? definition : recorded.recording.definition,
    document: assistant.document,
    prompt: prepared?.messages ?? null,
    fixed,
    functions:
      functions === null
        ? null
        : { declarations: functions.declarations, calls: calls.map((outcome) => recordedCall(outcome, personal)) },
    passages: prepared?.passages ?? [],
    results: prepared?.report.results ?? [],
    checks,
    answer: fixed ?? answer,
  };
}

/** A replay asks for itself how usage is told. */
const storedParams = ({ stream_options: _options, ...params }: JsonObject): JsonObject => params;

const recordedCall = (outcome: FunctionOutcome, personal: ReadonlySet<string>): RecordedCall => ({
  round: outcome.call.round,
  name: outcome.name,
  plugin: outcome.plugin,
  status: outcome.status,
  arguments: outcome.call.arguments,
  content: personal.has(outcome.plugin) ? null : outcome.content,
  sources: outcome.status === 'completed' ? outcome.sources : [],
});
