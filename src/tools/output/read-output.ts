import {
  isJsonObject,
  type JsonObject,
  type KnowledgeBaseSource,
  PLACE_UNITS,
  type Source,
  type SourcePlace,
  type Usage,
} from '../../kernel';
import { readSearch } from './read-search';
import { cleanText, cutText } from './clean-text';
import { type Citation, type FoundPassage, ToolFailure, type ToolOutput } from '../contract';

/** Sources of one output; more are left out. */
export const MAX_SOURCES = 100;
const MAX_WARNINGS = 20;
const MAX_WARNING_CHARS = 300;
const MAX_QUERY_CHARS = 1_000;

export interface CheckedOutput extends Required<ToolOutput> {
  readonly truncated: boolean;
  /** UTF-16 units of the content before it was cut. */
  readonly givenChars: number;
}

/**
 * Turns any return value of a tool into an output of the contract, or throws a `ToolFailure` with
 * `tool.output_invalid`. Content over `limit` UTF-16 units is cut; sources are copied member by member, so that nothing
 * else travels with them.
 */
export function readOutput(raw: unknown, limit: number): CheckedOutput {
  if (!isJsonObject(raw)) throw wrong('the output is not an object');
  const { content, confidence = null, citations = [], passages = [], warnings = [], query = null, usage, search } = raw;
  if (typeof content !== 'string') throw wrong('its content is not a string');
  const sources = list(raw.sources ?? [], 'sources');
  const kept = cleanText(cutText(content, limit));
  const truncated = kept.length < content.length;
  return {
    content: kept,
    truncated,
    givenChars: content.length,
    sources: sources.slice(0, MAX_SOURCES).map(readSource),
    confidence: readConfidence(confidence),
    usage: readUsage(usage),
    search: readSearch(search),
    saysFit: raw.saysFit === true,
    query: typeof query === 'string' ? cleanText(cutText(query, MAX_QUERY_CHARS)) : null,
    citations: readCitations(list(citations, 'citations'), sources.length, content.length).filter(
      ({ at, source }) => at <= kept.length && source < MAX_SOURCES,
    ),
    passages: readPassages(list(passages, 'passages'), Math.min(sources.length, MAX_SOURCES), limit),
    warnings: [
      ...readWarnings(list(warnings, 'warnings')),
      ...(truncated ? [`the content was cut from ${content.length} to ${kept.length} characters`] : []),
      ...(sources.length > MAX_SOURCES ? [`${sources.length - MAX_SOURCES} sources were left out`] : []),
    ],
  };
}

const wrong = (what: string): ToolFailure => new ToolFailure('tool.output_invalid', what);

function list(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(`its ${name} are not a list`);
  return value;
}

function readConfidence(value: unknown): number | null {
  if (value === null || (typeof value === 'number' && value >= 0 && value <= 1)) return value;
  throw wrong('its confidence is not between 0 and 1');
}

function readCitations(values: readonly unknown[], sources: number, chars: number): Citation[] {
  let last = 0;
  return values.map((value) => {
    const { at, source } = isJsonObject(value) ? value : {};
    if (!isIndex(at, chars + 1) || at < last || !isIndex(source, sources)) throw wrong('a citation points nowhere');
    last = at;
    return { at, source };
  });
}

/** The first whole passages that fit into `limit` UTF-16 units. */
function readPassages(values: readonly unknown[], sources: number, limit: number): FoundPassage[] {
  const kept: FoundPassage[] = [];
  let left = limit;
  for (const value of values) {
    const { source, text } = isJsonObject(value) ? value : {};
    if (typeof text !== 'string' || !isIndex(source, Infinity)) throw wrong('a passage has no text or no source');
    if (source >= sources) continue;
    left -= text.length;
    if (left < 0) break;
    kept.push({ source, text: cleanText(text) });
  }
  return kept;
}

const isIndex = (value: unknown, end: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < end;

const readWarnings = (values: readonly unknown[]): string[] =>
  values.slice(0, MAX_WARNINGS).map((value) => {
    if (typeof value !== 'string') throw wrong('a warning is not a string');
    return cleanText(cutText(value, MAX_WARNING_CHARS));
  });

/** Usage that is malformed counts as none: a tool does not fail for it. */
function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const { prompt_tokens, completion_tokens, total_tokens } = value;
  return isCount(prompt_tokens) && isCount(completion_tokens) && isCount(total_tokens)
    ? { prompt_tokens, completion_tokens, total_tokens }
    : null;
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function readSource(value: unknown): Source {
  if (!isJsonObject(value)) throw wrong('a source is not an object');
  switch (value.type) {
    case 'knowledge_base':
      return {
        type: 'knowledge_base',
        title: text(value, 'title'),
        url: text(value, 'url'),
        similarity: number(value, 'similarity'),
        document: value.document === null || value.document === undefined ? null : text(value, 'document'),
        ...placeOf(value),
      };
    case 'rubric':
      return {
        type: 'rubric',
        rubric_id: text(value, 'rubric_id'),
        title: text(value, 'title'),
        format: value.format === 'json' ? 'json' : 'markdown',
      };
    case 'file':
      return {
        type: 'file',
        path: text(value, 'path'),
        chars: number(value, 'chars'),
        truncated: value.truncated === true,
      };
    default:
      throw wrong('a source has no known type');
  }
}

/** Optional members of a knowledge base's source. */
function placeOf(value: JsonObject): Partial<KnowledgeBaseSource> {
  const { knowledge_base: base } = value;
  return {
    ...(value.page === undefined ? {} : { page: number(value, 'page') }),
    ...(value.page_end === undefined ? {} : { page_end: number(value, 'page_end') }),
    ...(value.place === undefined ? {} : { place: readPlace(value.place) }),
    ...(value.section === undefined ? {} : { section: text(value, 'section') }),
    ...(value.document_id === undefined ? {} : { document_id: text(value, 'document_id') }),
    ...(isJsonObject(base) ? { knowledge_base: { id: text(base, 'id'), name: text(base, 'name') } } : {}),
  };
}

function readPlace(value: unknown): SourcePlace {
  const unit = isJsonObject(value) ? PLACE_UNITS.find((each) => each === value['unit']) : undefined;
  if (!isJsonObject(value) || unit === undefined) throw wrong('the place of a source is not a place');
  return {
    unit,
    from: number(value, 'from'),
    to: number(value, 'to'),
    of: value['of'] === null ? null : number(value, 'of'),
    label: value['label'] === null ? null : text(value, 'label'),
    text: text(value, 'text'),
  };
}

function text(source: JsonObject, member: string): string {
  const value = source[member];
  if (typeof value !== 'string') throw wrong(`the ${member} of a source is not a string`);
  return cleanText(value);
}

function number(source: JsonObject, member: string): number {
  const value = source[member];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(`the ${member} of a source is not a number`);
  return value;
}
