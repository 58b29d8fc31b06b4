import type { Page } from '../kernel';
import type { RunRecord } from '../runs';
import type { VisibleRun } from './run-access.service';
import type { RunDto, RunPageDto, RunSummaryDto } from './run.dto';

export const presentSummary = (record: RunRecord): RunSummaryDto => ({
  id: record.id,
  status: record.status,
  assistant: { id: record.assistantId, name: record.assistantName, type: record.assistantType },
  user_id: record.userId,
  credential_id: record.credentialId,
  strategy: record.strategy,
  connector: record.connector,
  model: record.model,
  stream: record.stream,
  finish_reason: record.finishReason,
  error_code: record.errorCode,
  created_at: record.createdAt,
  finished_at: record.finishedAt,
  timings: {
    total_ms: record.durationMs,
    prepared_ms: record.preparedMs,
    first_token_ms: record.firstTokenMs,
  },
  tools: [...record.tools],
  usage: record.usage,
});

export const presentRun = ({ record, withContents }: VisibleRun): RunDto => ({
  ...presentSummary(record),
  sources: [...record.sources],
  ...(withContents ? { events: [...record.events] } : {}),
});

export const presentPage = ({ items, next_cursor, total }: Page<RunRecord>): RunPageDto => ({
  items: items.map(presentSummary),
  next_cursor,
  total,
});
