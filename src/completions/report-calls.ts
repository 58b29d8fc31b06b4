import type { RunReport } from '../runs';
import type { FunctionOutcome, FunctionSet } from '../tools';
import type { CompletionFacts } from './completion.types';

/** Marks functions that read what belongs to whoever asks: editors of the assistant read reports, and are somebody else. */
const PERSONAL = 'personal_data';

const reportCall = (personal: ReadonlySet<string>) => (outcome: FunctionOutcome) => ({
  index: outcome.call.index,
  round: outcome.call.round,
  name: outcome.name,
  plugin: outcome.plugin,
  status: outcome.status,
  arguments: outcome.call.arguments,
  duration_ms: outcome.duration_ms,
  preview: personal.has(outcome.plugin) ? '' : outcome.content,
  ...(outcome.status === 'completed'
    ? { chars: outcome.chars, cached: outcome.cached }
    : { chars: 0, cached: false, code: outcome.code }),
});

const personalOf = ({ functions }: FunctionSet): ReadonlySet<string> =>
  new Set(
    functions
      .filter(({ plugin }) => plugin.definition.capabilities.includes(PERSONAL))
      .map(({ plugin }) => plugin.definition.name),
  );

/** The pipeline's report with what only the whole run knows: late warnings, functions and their calls, and what looked at the answer. */
export function completeReport(report: RunReport, facts: CompletionFacts): RunReport {
  const { warnings, functions, calls, callSources, checks } = facts;
  if (warnings.length === 0 && functions === null && checks.length === 0) return report;
  return {
    ...report,
    warnings: [...report.warnings, ...warnings],
    results: [...report.results, ...checks],
    ...(functions === null
      ? {}
      : {
          sources: [...report.sources, ...callSources],
          functions: functions.functions.map(({ declaration, plugin }) => ({
            name: declaration.name,
            plugin: plugin.definition.name,
          })),
          calls: calls.map(reportCall(personalOf(functions))),
        }),
  };
}
