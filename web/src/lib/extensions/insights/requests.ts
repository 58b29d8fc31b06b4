import { api, must } from '$lib/kit/api/client';
import type { Insights } from './insights.types';
import { type Grouping, type Period, timeZone } from './period';

export async function insightsOf(id: number, days: Period, group_by: Grouping): Promise<Insights> {
  const params = { path: { id }, query: { days, time_zone: timeZone(), group_by } };
  return must(await api.GET('/api/v1/assistants/{id}/insights', { params }));
}
