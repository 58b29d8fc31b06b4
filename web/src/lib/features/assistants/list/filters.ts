import type { AssistantType } from '$lib/app/catalogues/assistant';

/** Filters of the list; kept in its address, so that it can be linked and survives going back. */
export interface Filters {
  readonly type: AssistantType | null;
  readonly q: string;
  readonly mine: boolean;
}

const HOME = '/assistants';
const MULTI_TOOL = '/multi-tool-assistants';

export function filtersOf(url: URL): Filters {
  const type = url.searchParams.get('type');
  return {
    type: url.pathname === MULTI_TOOL ? 'multi_tool' : type === 'classic' || type === 'multi_tool' ? type : null,
    q: url.searchParams.get('q') ?? '',
    mine: url.searchParams.get('owner') === 'me',
  };
}

/** The address that shows them. Multi-tool assistants have a page of their own. */
export function addressOf({ type, q, mine }: Filters): string {
  const query = new URLSearchParams({
    ...(type === 'classic' ? { type } : {}),
    ...(q.trim() === '' ? {} : { q: q.trim() }),
    ...(mine ? { owner: 'me' } : {}),
  }).toString();
  const page = type === 'multi_tool' ? MULTI_TOOL : HOME;
  return query === '' ? page : `${page}?${query}`;
}

export const isFiltered = ({ type, q, mine }: Filters): boolean => type !== null || q !== '' || mine;

/** The assistant of an old link, `/assistants?view=detail&id=7`. */
export function linkedId(url: URL): number | null {
  const id = Number(url.searchParams.get('id'));
  return url.searchParams.get('view') === 'detail' && Number.isSafeInteger(id) && id > 0 ? id : null;
}
