import type { KbFile } from './kb-tables';

const PLUGINS = ['url_ingest', 'youtube_transcript_ingest'];
const KEYS = ['urls', 'url', 'video_urls', 'video_url', 'source_url'];

const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);

/** True for rows that stand for pages and videos. */
export const isAddressFile = ({ plugin }: KbFile): boolean => PLUGINS.includes(plugin);

export interface FoundAddresses {
  readonly addresses: readonly string[];
  /** Parameters that are no address. */
  readonly refused: readonly string[];
}

/**
 * Addresses that the server read for this row: parameters of the plugin, else the row's name and address, else the lines of
 * its file.
 */
export function addressesOf({ parameters, name, url }: KbFile, lines: string): FoundAddresses {
  const given = KEYS.flatMap((key) => parameters[key]).flatMap((value) => (typeof value === 'string' ? [value] : []));
  const texts = [...new Set(given.map((text) => text.trim()).filter((text) => text !== ''))];
  const refused = texts.filter((text) => !isWebAddress(text));
  const listed = [texts, [name, url.includes('/static/') ? '' : url], lines.split(/\r?\n/)];
  for (const each of listed) {
    const addresses = each.map((text) => text.trim()).filter(isWebAddress);
    if (addresses.length > 0) return { addresses: [...new Set(addresses)], refused };
  }
  return { addresses: [], refused };
}

/** Two letters, or null. */
export function languageOf({ parameters: { language } }: KbFile): string | null {
  return typeof language === 'string' && /^[a-z]{2}$/.test(language) ? language : null;
}
