import { isJsonObject, type JsonObject } from '../../../src/kernel';
import { objectAt } from '../source/json-path';

/** Calls `from` and everything below it at `to`. */
export interface AddressMapping {
  readonly from: URL;
  readonly to: URL;
}

/** The place of a server's address in the settings. */
interface AddressPlace {
  readonly path: string;
  readonly url: string;
  readonly replaced: (url: string) => JsonObject;
}

const parsed = (text: string): URL | null => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null;
};

/** Reads `http://kb:9090=https://kb.example.edu`; null unless both sides are plain http or https addresses. */
export function readAddressMapping(text: string): AddressMapping | null {
  const at = text.indexOf('=');
  const from = parsed(text.slice(0, at));
  const to = parsed(text.slice(at + 1));
  return at === -1 || from === null || to === null ? null : { from, to };
}

const folderOf = ({ pathname }: URL): string => pathname.replace(/(?<!\/)\/+$/, '');

function mappedUrl(text: string, { from, to }: AddressMapping): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.origin !== from.origin) return null;
  const folder = folderOf(from);
  if (url.pathname !== folder && !url.pathname.startsWith(`${folder}/`)) return null;
  const rest = url.pathname.slice(folder.length).replace(/^\/$/, '');
  return `${to.origin}${folderOf(to)}${rest}${url.search}`;
}

function addressPlaces(settings: JsonObject): AddressPlace[] {
  const providers = objectAt(settings, 'providers');
  const base = objectAt(settings, 'knowledge_base');
  const places = Object.entries(providers).flatMap(([name, provider]): AddressPlace[] => {
    if (!isJsonObject(provider) || typeof provider['base_url'] !== 'string') return [];
    const replaced = (url: string) => ({ providers: { ...providers, [name]: { ...provider, base_url: url } } });
    return [{ path: `providers.${name}.base_url`, url: provider['base_url'], replaced }];
  });
  if (typeof base['server_url'] !== 'string') return places;
  const replaced = (url: string) => ({ knowledge_base: { ...base, server_url: url } });
  return [...places, { path: 'knowledge_base.server_url', url: base['server_url'], replaced }];
}

/** Maps every address in the settings by the first mapping that fits. */
export function mapAddresses(
  settings: JsonObject,
  mappings: readonly AddressMapping[],
): { readonly settings: JsonObject; readonly mapped: readonly { readonly path: string; readonly url: string }[] } {
  const mapped: { path: string; url: string }[] = [];
  let result = settings;
  for (const { path } of addressPlaces(settings)) {
    const place = addressPlaces(result).find((each) => each.path === path);
    if (place === undefined) continue;
    const url = mappings.map((mapping) => mappedUrl(place.url, mapping)).find((found) => found !== null);
    if (url === undefined) continue;
    result = { ...result, ...place.replaced(url) };
    mapped.push({ path, url });
  }
  return { settings: result, mapped };
}
