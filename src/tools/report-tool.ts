import { type ReportResult, type ReportTool, sourceNumbers } from '../runs';
import type { PipelineTool, ToolOutcome } from './contract';

/** A tool's row in the run report. */
export const reportTool = ({ index, plugin, placeholder, label, enabled, config }: PipelineTool): ReportTool => ({
  index,
  plugin,
  placeholder,
  ...(label === undefined ? {} : { label }),
  enabled,
  config,
});

/** An outcome's row in the run report, with the whole content: the report is cut where it is shown or stored. */
export function reportResult(outcome: ToolOutcome): ReportResult {
  const { index, plugin, placeholder, status, duration_ms } = outcome;
  const row = { index, plugin, placeholder, status, duration_ms, chars: 0, sources: 0, preview: '' };
  switch (outcome.status) {
    case 'completed': {
      const { content, chars, sources, query = null, search = null } = outcome;
      const asked = { ...(query === null ? {} : { query }), ...(search === null ? {} : { search }) };
      const numbers = sourceNumbers(sources);
      return { ...row, ...triesOf(outcome), chars, sources: sources.length, ...numbers, preview: content, ...asked };
    }
    case 'failed':
      return { ...row, ...triesOf(outcome), code: outcome.code, message: outcome.message };
    case 'skipped':
      return { ...row, message: outcome.reason };
  }
}

const triesOf = ({ retries, bounded }: Exclude<ToolOutcome, { status: 'skipped' }>) =>
  bounded === undefined ? { retries } : { retries, bounded };
