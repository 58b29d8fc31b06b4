import { type Problem, invalid } from '@bellwether/kernel';

const DAY_MS = 86_400_000;
/** Longest period of one report, in days: a leap year. */
export const MAX_DAYS = 366;
const USUAL_DAYS = 30;

/** First and last day, both included, as `YYYY-MM-DD` in UTC. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Start of the day in milliseconds; NaN for a day that no calendar has, such as 30 February. */
function timeOf(day: string): number {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) || dayOf(time) !== day ? Number.NaN : time;
}

export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(timeOf(text));

/** The last 30 days unless the caller names others. @throws {AppError} `validation_failed` */
export function periodOf({ from, to }: Partial<Period>, now: number): Period {
  const last = timeOf(to ?? (from === undefined ? dayOf(now) : later(from, now)));
  const first = from === undefined ? last - (USUAL_DAYS - 1) * DAY_MS : timeOf(from);
  const problems: Problem[] = [];
  if (first > last) problems.push({ path: 'from', message: 'must not be after to', code: 'period.order' });
  if (last - first >= MAX_DAYS * DAY_MS) {
    problems.push({ path: 'from', message: `must be at most ${MAX_DAYS - 1} days before to` });
  }
  if (problems.length > 0) throw invalid(problems);
  return { from: dayOf(first), to: dayOf(last) };
}

/** Today, or the given day when it is in the future. */
const later = (day: string, now: number): string => (day > dayOf(now) ? day : dayOf(now));

export function daysOf({ from, to }: Period): readonly string[] {
  const first = timeOf(from);
  const count = (timeOf(to) - first) / DAY_MS + 1;
  return Array.from({ length: count }, (_, index) => dayOf(first + index * DAY_MS));
}

/** Members of one usage row that are summed. */
export const FIGURES = [
  'runs',
  'failed',
  'model_calls',
  'estimated_calls',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cost_micros',
] as const;
export type Figures = Readonly<Record<(typeof FIGURES)[number], number>>;

/** Rows by day are zero-filled; the others are sorted by cost. */
export const GROUPINGS = ['day', 'assistant', 'model', 'person', 'key'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Parts of a day, for stacked plots. */
export const SPLITS = ['assistant', 'model'] as const;
export type Split = (typeof SPLITS)[number];

export interface UsageFilter extends Period {
  readonly assistantId: number | null;
  readonly model: string | null;
}

export const NO_USAGE: Figures = {
  runs: 0,
  failed: 0,
  model_calls: 0,
  estimated_calls: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  cost_micros: 0,
};
