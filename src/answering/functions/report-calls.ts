import type { Source } from '../../kernel';
import { type ReportResult, type RunReport, sourceNumbers } from '../../runs';
import type { FunctionOutcome, FunctionSet } from '../../tools';

/** Capability of functions that read the asker's personal data, which reports must not show to editors. */
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
    ? { chars: outcome.chars, cached: outcome.cached, ...sourceNumbers(outcome.sources) }
    : { chars: 0, cached: false, code: outcome.code }),
});

/** Names of plugins whose results are about the asker. */
export const personalOf = ({ functions }: FunctionSet): ReadonlySet<string> =>
  new Set(
    functions
      .filter(({ plugin }) => plugin.definition.capabilities.includes(PERSONAL))
      .map(({ plugin }) => plugin.definition.name),
  );

/** Facts of the run that are known after the preparation. */
export interface LateFacts {
  readonly warnings: readonly string[];
  /** Null for assistants without functions. */
  readonly functions: FunctionSet | null;
  /** Function calls in order. */
  readonly calls: readonly FunctionOutcome[];
  readonly callSources: readonly Source[];
  /** Results of the tools that checked the answer. */
  readonly checks: readonly ReportResult[];
}

/** Adds late warnings, functions, calls and checks to the report of the preparation. */
export function completeReport(report: RunReport, facts: LateFacts): RunReport {
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
