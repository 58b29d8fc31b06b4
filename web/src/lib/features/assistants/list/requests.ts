import { api, must } from '$lib/kit/api/client';
import type { Assistant } from '$lib/app/catalogues/assistant';
import type { Page, PageQuery } from '$lib/kit/api/pages';
import type { Filters } from './filters';

/** One page of the assistants that fit the filters. */
export async function pageOfAssistants({ type, q, mine }: Filters, page: PageQuery): Promise<Page<Assistant>> {
  const query = {
    ...page,
    ...(type === null ? {} : { type }),
    ...(q === '' ? {} : { q }),
    ...(mine ? { owner: 'me' as const } : {}),
  };
  return must(await api.GET('/api/v1/assistants', { params: { query } }));
}
