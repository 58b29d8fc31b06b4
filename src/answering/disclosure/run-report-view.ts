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

/** Tools by name, not by what their owner has set them to. */
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
 * A report for the person who asked, who may not edit the assistant: what ran, how it ended and how long it took, and the
 * sources that they were shown. Nothing of how the assistant is made, and nothing of what its tools fetched.
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

/**
 * A report for an administrator who does not edit the assistant: how it is made, and of what its tools fetched, which may
 * be private, no more than the previews.
 */
export const reportForAdministrator = (report: ShapedReport): ShapedReport =>
  report.prompt === undefined ? report : { ...report, prompt: report.prompt.map(previewedPart) };
