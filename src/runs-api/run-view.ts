import type { RunPage, RunRecord, ToolTiming } from '../runs';
import { withoutReasoning } from '../answering';
import type { VisibleRun } from './run-access.service';
import type { NestedRunDto, RunDto, RunFunctionCallDto, RunPageDto, RunPersonDto, RunSummaryDto } from './run.dto';

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

/** `person` null shows only the id. */
export const presentSummary = (record: RunRecord, person: RunPersonDto | null = null): RunSummaryDto => ({
  id: record.id,
  status: record.status,
  assistant: { id: record.assistantId, name: record.assistantName, type: record.assistantType },
  parent_run_id: record.parentRunId,
  caller_organization_id: record.callerOrganizationId,
  user_id: isHidden(person) ? null : record.userId,
  person,
  question: record.question,
  assistant_version: record.assistantVersion,
  cost_micros: record.costMicros,
  credential_id: isHidden(person) ? null : record.credentialId,
  strategy: record.strategy,
  connector: record.connector,
  model: record.model,
  stream: record.stream,
  background: record.background,
  draft: record.draft,
  replay: record.replay,
  finish_reason: record.finishReason,
  error_code: record.errorCode,
  problems: record.problems,
  rating: record.rating,
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

const isHidden = (person: RunPersonDto | null): boolean => person !== null && person.pseudonym !== null;

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

export const presentRun = (
  { record, withContents, nested, answer }: VisibleRun,
  person: RunPersonDto | null = null,
): RunDto => ({
  ...presentSummary(record, person),
  request_id: record.requestId,
  answer,
  plan: record.plan === null || withContents ? record.plan : withoutReasoning(record.plan),
  sources: [...record.sources],
  ...(withContents ? { events: [...record.events], runs: nested.map(presentNested), ...vendorFailureOf(record) } : {}),
});

export const presentPage = (
  { items, next_cursor, total, lookedBackTo }: RunPage,
  people: ReadonlyMap<string, RunPersonDto>,
): RunPageDto => ({
  items: items.map((record) => presentSummary(record, people.get(record.userId) ?? null)),
  next_cursor,
  looked_back_to: lookedBackTo === null ? null : new Date(lookedBackTo).toISOString(),
  total,
});
