import { api, must } from '$lib/api/client';
import type { Page, PageQuery } from '$lib/api/pages';
import type { RunStatus, RunSummary } from './run-events';

export interface RunFilter {
  readonly assistantId: number | null;
  readonly status: RunStatus | null;
}

/** One page of the runs that fit the filter, newest first. */
export async function pageOfRuns({ assistantId, status }: RunFilter, page: PageQuery): Promise<Page<RunSummary>> {
  const query = {
    ...page,
    ...(assistantId === null ? {} : { assistant_id: assistantId }),
    ...(status === null ? {} : { status }),
  };
  return must(await api.GET('/api/v1/runs', { params: { query } }));
}
