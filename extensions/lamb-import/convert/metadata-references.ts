import { parseMetadata, readToolEntries } from '../../../src/assistants/definition';
import { isJsonObject, type JsonObject } from '../../../src/kernel';
import { canonical } from './fingerprint';

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

/** In the text itself. A quotation mark inside a string is escaped, so only members' names match. */
const replaceIn = (metadata: string, names: NewNames): string =>
  metadata
    .replace(/(?<!\\)("assistant_id"\s*:\s*)"?(\d{1,15})"?/g, (_, key: string, id: string) => {
      return `${key}${String(names.assistant(Number(id)))}`;
    })
    .replace(/(?<!\\)("file_path"\s*:\s*)("(?:[^"\\]|\\.)*")/g, (whole: string, key: string, literal: string) => {
      const path = JSON.parse(literal) as string;
      return path.trim() === '' ? whole : `${key}${JSON.stringify(names.file(path))}`;
    });
