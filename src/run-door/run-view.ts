import type { Page } from '../kernel';
import type { RunRecord, ToolTiming } from '../runs';
import { withoutReasoning } from '../answering';
import type { VisibleRun } from './access/run-access.service';
import type { NestedRunDto, RunDto, RunFunctionCallDto, RunPageDto, RunSummaryDto } from './run.dto';

function presentCall({
  index,
  plugin,
  status,
  duration_ms,
  chars,
  cached,
  code,
  call,
}: ToolTiming): RunFunctionCallDto[] {
  if (call === undefined) return [];
  return [{ index, round: call.round, name: call.name, plugin, status, duration_ms, chars, cached, code }];
}

export const presentSummary = (record: RunRecord): RunSummaryDto => ({
  id: record.id,
  status: record.status,
  assistant: { id: record.assistantId, name: record.assistantName, type: record.assistantType },
  parent_run_id: record.parentRunId,
  caller_organization_id: record.callerOrganizationId,
  user_id: record.userId,
  credential_id: record.credentialId,
  strategy: record.strategy,
  connector: record.connector,
  model: record.model,
  stream: record.stream,
  background: record.background,
  finish_reason: record.finishReason,
  error_code: record.errorCode,
  problems: record.tools.filter(({ status }) => status === 'failed').length,
  created_at: record.createdAt,
  finished_at: record.finishedAt,
  timings: {
    total_ms: record.durationMs,
    prepared_ms: record.preparedMs,
    first_token_ms: record.firstTokenMs,
  },
  tools: record.tools.filter(({ call }) => call === undefined),
  functions: record.tools.flatMap(presentCall),
  usage: record.usage,
});

const presentNested = (record: RunRecord): NestedRunDto => ({
  id: record.id,
  status: record.status,
  assistant: { id: record.assistantId, name: record.assistantName, type: record.assistantType },
  created_at: record.createdAt,
  finished_at: record.finishedAt,
  total_ms: record.durationMs,
  usage: record.usage,
});

const vendorFailureOf = ({ report }: RunRecord): Pick<RunDto, 'vendor_failure'> =>
  report?.vendor_failure === undefined ? {} : { vendor_failure: report.vendor_failure };

export const presentRun = ({ record, withContents, nested, answer }: VisibleRun): RunDto => ({
  ...presentSummary(record),
  answer,
  plan: record.plan === null || withContents ? record.plan : withoutReasoning(record.plan),
  sources: [...record.sources],
  ...(withContents ? { events: [...record.events], runs: nested.map(presentNested), ...vendorFailureOf(record) } : {}),
});

export const presentPage = ({ items, next_cursor, total }: Page<RunRecord>): RunPageDto => ({
  items: items.map(presentSummary),
  next_cursor,
  total,
});
