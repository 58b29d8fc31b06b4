import type { Source } from '../../kernel';
import {
  cut,
  type ReportCall,
  type ReportPromptPart,
  type ReportResult,
  type ReportTool,
  REPORT_LIMITS,
  type ShapedReport,
} from '../../runs';

/** A tool without its settings. */
const bareTool = ({ index, plugin, placeholder, enabled }: ReportTool): ReportTool => ({
  index,
  plugin,
  placeholder,
  enabled,
  config: null,
});

const bareResult = ({ query: _query, message: _message, ...result }: ReportResult): ReportResult => ({
  ...result,
  preview: '',
});

const bareCall = (call: ReportCall): ReportCall => ({ ...call, arguments: '', preview: '' });

/**
 * A report for askers who may not edit the assistant: names, outcomes, durations, and the sources that they saw. It shows
 * neither the definition nor the results of tools.
 */
export function reportForAsker(report: ShapedReport, sources: readonly Source[]): ShapedReport {
  return {
    created_at: report.created_at,
    orchestrator: report.orchestrator,
    assistant: report.assistant,
    request: report.request,
    tools: report.tools.map(bareTool),
    results: report.results.map(bareResult),
    sources: sources.slice(0, report.sources.length),
    messages: [],
    warnings: [],
    ...(report.functions === undefined ? {} : { functions: report.functions }),
    ...(report.calls === undefined ? {} : { calls: report.calls.map(bareCall) }),
    totals: { sources: report.totals.sources, messages: report.totals.messages },
  };
}

const previewedPart = (part: ReportPromptPart): ReportPromptPart =>
  part.index === undefined ? part : { ...part, text: cut(part.text, REPORT_LIMITS.preview) };

/** A report for administrators who do not edit the assistant: results of tools, which may be private, are cut to previews. */
export const reportForAdministrator = (report: ShapedReport): ShapedReport =>
  report.prompt === undefined ? report : { ...report, prompt: report.prompt.map(previewedPart) };
