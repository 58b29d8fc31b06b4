import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import { objectAt } from '@bellwether/lamb-reader';
import { parseMetadata, readToolEntries } from '../../src/assistants/definition';
import { canonical } from './organization-settings';

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

const FILE_TOOLS: ReadonlySet<string> = new Set(['single_file_rag', 'single_file']);

const documentOf = (metadata: string): JsonObject | null => {
  const parsed = parseMetadata(metadata);
  return parsed.ok ? parsed.metadata : null;
};

const pathIn = (object: JsonObject): string | null => {
  const path = Object.hasOwn(object, 'file_path') ? object['file_path'] : undefined;
  return typeof path === 'string' && path.trim() !== '' ? path : null;
};

/** Paths of the files that an assistant reads. Other RAG processors ignore `file_path`. */
export function filePaths(metadata: string): string[] {
  const document = documentOf(metadata);
  if (document === null) return [];
  const paths = readToolEntries(document)
    .pipeline.filter(({ plugin }) => FILE_TOOLS.has(plugin))
    .map(({ entry }) => (isJsonObject(entry['config']) ? pathIn(entry['config']) : null));
  if (document['rag_processor'] === 'single_file_rag') paths.push(pathIn(document));
  return [...new Set(paths.filter((path) => path !== null))];
}

export function calledAssistants(metadata: string): number[] {
  const document = documentOf(metadata);
  if (document === null) return [];
  const ids = readToolEntries(document)
    .functions.filter(({ definition }) => definition['type'] === 'assistant')
    .map(({ definition }) => idOf(definition['assistant_id']));
  return [...new Set(ids.filter((id) => id !== null))];
}

const idOf = (value: unknown): number | null =>
  (typeof value === 'number' && Number.isSafeInteger(value)) || (typeof value === 'string' && /^\d{1,15}$/.test(value))
    ? Number(value)
    : null;

export interface NewNames {
  /** The path of a file here. */
  readonly file: (path: string) => string;
  /** The id of an assistant here; null when it did not come along. */
  readonly assistant: (id: number) => number | null;
}

/**
 * Metadata with the names that files and assistants have here. A text without new names stays unchanged. Other text keeps
 * its formatting wherever the names can be replaced in place.
 */
export function withNewNames(metadata: string, names: NewNames): string {
  const document = documentOf(metadata);
  if (document === null) return metadata;
  const renamed = renameIn(document, names);
  if (canonical(renamed) === canonical(document)) return metadata;
  const replaced = replaceIn(metadata, names);
  const read = documentOf(replaced);
  return read !== null && canonical(read) === canonical(renamed) ? replaced : JSON.stringify(renamed);
}

function renameIn(document: JsonObject, names: NewNames): JsonObject {
  const file = (holder: JsonObject): JsonObject => {
    const path = pathIn(holder);
    return path === null ? holder : { ...holder, file_path: names.file(path) };
  };
  const entry = (value: unknown): unknown => {
    if (!isJsonObject(value)) return value;
    const isFunction = value['type'] === 'assistant' && !Object.hasOwn(value, 'plugin');
    const id = isFunction ? idOf(value['assistant_id']) : null;
    const called = id === null ? value : { ...value, assistant_id: names.assistant(id) };
    const plugin = called['plugin'] ?? called['type'];
    const reads = typeof plugin === 'string' && FILE_TOOLS.has(plugin) && isJsonObject(called['config']);
    return reads ? { ...called, config: file(called['config'] as JsonObject) } : called;
  };
  const lists = ['tools', 'functions'].flatMap((key) => {
    const list = Object.hasOwn(document, key) ? document[key] : undefined;
    return Array.isArray(list) ? [[key, list.map(entry)] as const] : [];
  });
  const whole = document['rag_processor'] === 'single_file_rag' ? file(document) : document;
  return { ...whole, ...Object.fromEntries(lists) };
}

/** Replaces names in the text itself. A quotation mark inside a string is escaped, so only members' names match. */
const replaceIn = (metadata: string, names: NewNames): string =>
  metadata
    .replace(/(?<!\\)("assistant_id"\s*:\s*)"?(\d{1,15})"?/g, (_, key: string, id: string) => {
      return `${key}${String(names.assistant(Number(id)))}`;
    })
    .replace(/(?<!\\)("file_path"\s*:\s*)("(?:[^"\\]|\\.)*")/g, (whole: string, key: string, literal: string) => {
      const path = JSON.parse(literal) as string;
      return path.trim() === '' ? whole : `${key}${JSON.stringify(names.file(path))}`;
    });
