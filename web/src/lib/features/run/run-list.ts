import { api, must } from '$lib/kit/api/client';
import type { Page, PageQuery } from '$lib/kit/api/pages';
import type { RunStatus, RunSummary } from './run-events';

/** `problems`: completed with failed steps. */
export type ShownStatus = RunStatus | 'problems';

export interface RunFilter {
  readonly assistantId: number | null;
  readonly status: ShownStatus | null;
  /** Days of the reader, `YYYY-MM-DD`, both inclusive. */
  readonly from?: string | null;
  readonly to?: string | null;
  readonly userId?: string | null;
  readonly rating?: 'up' | 'down' | null;
  /** Part of the question. */
  readonly text?: string | null;
}

/** The beginning of a day by the reader's clock, some days later. Undefined for what is no day. */
export function startOfDay(day: string | null | undefined, later = 0): string | undefined {
  const [year, month, date] =
    /^(\d{4})-(\d\d)-(\d\d)$/
      .exec(day ?? '')
      ?.slice(1)
      .map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  return new Date(year, month - 1, date + later).toISOString();
}

export interface PageOfRuns extends Page<RunSummary> {
  /** A search of questions has not looked at older runs yet. */
  readonly looked_back_to: string | null;
}

/** One page of the runs that fit the filter, newest first. */
export async function pageOfRuns(
  { assistantId, status, from, to, userId, rating, text }: RunFilter,
  page: PageQuery,
): Promise<PageOfRuns> {
  const query = {
    ...page,
    assistant_id: assistantId ?? undefined,
    ...(status === 'problems' ? { status: 'completed' as const, problems: 'true' as const } : {}),
    ...(status === null || status === 'problems' ? {} : { status }),
    from: startOfDay(from),
    to: startOfDay(to, 1),
    user_id: userId ?? undefined,
    rating: rating ?? undefined,
    q: text || undefined,
  };
  return must(await api.GET('/api/v1/runs', { params: { query } }));
}
