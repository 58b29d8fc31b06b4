import type { KbFile } from './kb-tables';

const PLUGINS = ['url_ingest', 'youtube_transcript_ingest'];
const KEYS = ['urls', 'url', 'video_urls', 'video_url', 'source_url'];

const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);

/** True for rows that stand for pages and videos. */
export const isAddressFile = ({ plugin }: KbFile): boolean => PLUGINS.includes(plugin);

/**
 * Addresses that the server read for this row: parameters of the plugin, else the row's name and address, else the lines of
 * its file.
 */
export function addressesOf({ parameters, name, url }: KbFile, lines: string): string[] {
  const given = KEYS.flatMap((key) => parameters[key]).flatMap((value) => (typeof value === 'string' ? [value] : []));
  const listed = [given, [name, url.includes('/static/') ? '' : url], lines.split(/\r?\n/)];
  for (const texts of listed) {
    const addresses = texts.map((text) => text.trim()).filter(isWebAddress);
    if (addresses.length > 0) return [...new Set(addresses)];
  }
  return [];
}

/** Two letters, or null. */
export function languageOf({ parameters: { language } }: KbFile): string | null {
  return typeof language === 'string' && /^[a-z]{2}$/.test(language) ? language : null;
}
