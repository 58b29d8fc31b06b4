import { AppError } from '../../kernel';
import { extensionOf, isCaptionsFile } from './fetching/media-type';
import { watchAddress } from './fetching/watch-page';
import type { SourceEntity } from './storage/source.entity';

/**
 * The address as it is stored: without a fragment, which is never sent; a video by its watch page.
 * @throws {AppError} `outbound_refused`
 */
export function addressOf(text: string): Pick<SourceEntity, 'url' | 'kind'> {
  if (!URL.canParse(text)) throw new AppError('outbound_refused', 'This is not a valid URL');
  const url = new URL(text);
  url.hash = '';
  const watch = watchAddress(url);
  if (watch !== null) return { url: watch, kind: 'video' };
  return { url: url.href, kind: isCaptionsFile(extensionOf(url)) ? 'video' : 'page' };
}
