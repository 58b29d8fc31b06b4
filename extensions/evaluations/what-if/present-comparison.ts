import type { SourcePassage } from '@bellwether/kernel';
import type { ReplayEntity } from './replay.entity';
import type {
  ComparedItemDto,
  ComparedRunDto,
  ComparedSidesDto,
  ComparisonDto,
  ReplayDto,
  ReplayRefusalDto,
  ReplayTotalsDto,
} from './what-if.dto';
import type { ComparedItem, Comparison, Totals } from './what-if.service';
import type { ComparedRun, PassageDifference, ReplayRefusal } from './what-if.types';

export const presentReplay = ({ id, wish, items, ...batch }: ReplayEntity): ReplayDto => ({
  id,
  status: batch.cancelledAt === null ? (batch.finishedAt === null ? 'running' : 'completed') : 'cancelled',
  mode: wish.mode,
  changes: wish.changes,
  created_at: batch.createdAt.toISOString(),
  finished_at: batch.finishedAt?.toISOString() ?? null,
  total: items.length,
});

export const presentComparison = ({ batch, done, before, after }: Comparison): ComparisonDto => ({
  ...presentReplay(batch),
  done,
  before: presentTotals(before),
  after: presentTotals(after),
});

const presentTotals = (totals: Totals): ReplayTotalsDto => ({
  runs: totals.runs,
  failed: totals.failed,
  duration_ms: totals.durationMs,
  prompt_tokens: totals.promptTokens,
  completion_tokens: totals.completionTokens,
  cost_micros: totals.costMicros,
});

export const presentItem = ({ item, before, after }: ComparedItem): ComparedItemDto => ({
  run_id: item.of,
  replay_run_id: item.run,
  question: before?.record.question ?? null,
  refusal: item.refusal === null ? null : presentRefusal(item.refusal),
  ...presentSides(before, after),
});

/** Two runs side by side. */
export const presentSides = (before: ComparedRun | null, after: ComparedRun | null): ComparedSidesDto => ({
  before: before === null ? null : presentSide(before),
  after: after === null ? null : presentSide(after),
  passages: before === null || !hasEnded(after) ? null : differenceOf(before.record.passages, after.record.passages),
  same_answer: before?.answer == null || after?.answer == null ? null : before.answer === after.answer,
});

const presentRefusal = ({ code, detail, reason, problems }: ReplayRefusal): ReplayRefusalDto => ({
  code,
  detail,
  reason: reason ?? null,
  errors: [...problems],
});

const hasEnded = (run: ComparedRun | null): run is ComparedRun => run !== null && run.record.finishedAt !== null;

const presentSide = ({ record, answer }: ComparedRun): ComparedRunDto => ({
  id: record.id,
  status: record.status,
  strategy: record.strategy,
  connector: record.connector,
  model: record.model,
  error_code: record.errorCode,
  duration_ms: record.durationMs,
  prompt_tokens: record.usage?.prompt_tokens ?? null,
  completion_tokens: record.usage?.completion_tokens ?? null,
  cost_micros: record.costMicros,
  answer,
  passages: record.passages.length,
  replay: record.replay,
});

/** A passage is the same when its document and its text are. */
function differenceOf(
  before: readonly SourcePassage[],
  after: readonly SourcePassage[],
): { kept: number; added: string[]; removed: string[] } {
  const keyOf = ({ title, text }: SourcePassage): string => `${title}\n${text}`;
  const [known, found] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))];
  const difference: PassageDifference = {
    kept: after.filter((passage) => known.has(keyOf(passage))).length,
    added: after.filter((passage) => !known.has(keyOf(passage))).map(({ title }) => title),
    removed: before.filter((passage) => !found.has(keyOf(passage))).map(({ title }) => title),
  };
  return { ...difference, added: [...difference.added], removed: [...difference.removed] };
}
