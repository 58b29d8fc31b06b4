import { api, must } from '$lib/api/client';
import type { Source } from './run-events';
import { isTameAddress } from './markdown/tame-address';

/** The title of a source with its section, for people. */
export function titleOf(source: Source | undefined): string {
  if (source === undefined) return '';
  const title = source.title ?? source.document ?? source.path ?? '';
  const { section = '' } = source;
  if (section === '' || section === title) return title;
  return title === '' || section.startsWith(`${title} › `) ? section : `${title} › ${section}`;
}

/** Its address, where it is a web page or a document of this service. */
export function linkOf({ url, page }: Source): string | null {
  if (url === undefined || !isTameAddress(url)) return null;
  return page === undefined || url.includes('#') ? url : `${url}#page=${page}`;
}

export const pagesOf = ({ page, page_end: end }: Source): string | null =>
  page === undefined ? null : end === undefined || end === page ? `${page}` : `${page}–${end}`;

/** Between texts that share a number. */
const GAP = '\n\n…\n\n';

/** The texts behind the numbers of a run's sources. */
export async function passagesOf(runId: string, signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
  const { items } = must(await api.GET('/api/v1/runs/{id}/passages', { params: { path: { id: runId } }, signal }));
  const texts = new Map<number, Set<string>>();
  for (const { n, text } of items) if (n !== null) texts.set(n, (texts.get(n) ?? new Set()).add(text));
  return new Map([...texts].map(([n, found]) => [n, [...found].join(GAP)]));
}
