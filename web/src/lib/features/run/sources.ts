import { api, must } from '$lib/kit/api/client';
import { t } from '$lib/kit/i18n/i18n.svelte';
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
export function linkOf(source: Source): string | null {
  const { url } = source;
  const page = openedPage(source);
  if (url === undefined || !isTameAddress(url)) return null;
  return page === undefined || url.includes('#') ? url : `${url}#page=${page}`;
}

/** The page at which its original can be opened. Slides cannot. */
export const openedPage = ({ page, place }: Source): number | undefined =>
  place === undefined || place.unit === 'page' ? page : undefined;

const rangeOf = (from: number, to: number | undefined): string =>
  to === undefined || to === from ? `${from}` : `${from}–${to}`;

export type Placed = Pick<Source, 'page' | 'page_end' | 'place'>;

/** Place in its document, in words; null when unknown. */
export function placeOf({ page, page_end: end, place }: Placed): string | null {
  if (place === undefined) return page === undefined ? null : t('runs.pages', { pages: rangeOf(page, end) });
  const pages = rangeOf(place.from, place.to);
  const { unit, label, of } = place;
  if (unit === 'sheet') return t('runs.sheet', { label: label ?? pages });
  if (unit !== 'page') return t(`runs.${unit}`, { pages });
  if (label !== null) {
    return of === null ? t('runs.page_label', { label, pages }) : t('runs.page_label_of', { label, pages, of });
  }
  return of === null ? t('runs.pages', { pages }) : t('runs.page_of', { pages, of });
}

/** Between texts that share a number. */
const GAP = '\n\n…\n\n';

/** The texts behind the numbers of a run's sources. */
export async function passagesOf(runId: string, signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
  const { items } = must(await api.GET('/api/v1/runs/{id}/passages', { params: { path: { id: runId } }, signal }));
  const texts = new Map<number, Set<string>>();
  for (const { n, text } of items) if (n !== null) texts.set(n, (texts.get(n) ?? new Set()).add(text));
  return new Map([...texts].map(([n, found]) => [n, [...found].join(GAP)]));
}
