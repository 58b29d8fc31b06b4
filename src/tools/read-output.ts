import {
  type JsonObject,
  type KnowledgeBaseSource,
  LANGUAGE_BRIDGES,
  type LanguageGap,
  type Match,
  LOCATOR_UNITS,
  type Source,
  type SourcePassage,
  type PassageLocator,
  type ToldSearch,
  type Usage,
  isJsonObject,
  titleOfSource,
} from '@bellwether/kernel';
import { type Citation, type FoundPassage, ToolFailure, type ToolOutcome, type ToolOutput } from './contract';

/** Content with the number of each cited source written in. */
export function writeNumbers(content: string, citations: readonly Citation[], sources: readonly Source[]): string {
  if (citations.length === 0) return content;
  const parts: string[] = [];
  let position = 0;
  for (const { at, source } of citations) {
    parts.push(content.slice(position, at), String(sources[source]?.n ?? ''));
    position = at;
  }
  parts.push(content.slice(position));
  return parts.join('');
}

const MARK = /\[(\d{1,4})\]/g;

/** Turns `[n]` of another run's text into citations, which the calling run numbers anew. `sources` carry their `n`. */
export function citedReply(text: string, sources: readonly Source[]): { text: string; citations: readonly Citation[] } {
  const places = new Map(sources.map(({ n }, place) => [n, place]));
  const citations: Citation[] = [];
  let kept = '';
  let position = 0;
  for (const { 0: mark, 1: digits, index } of text.matchAll(MARK)) {
    const source = places.get(Number(digits));
    if (source === undefined) continue;
    kept += `${text.slice(position, index)}[`;
    citations.push({ at: kept.length, source });
    kept += ']';
    position = index + mark.length;
  }
  return { text: kept + text.slice(position), citations };
}

/** A text without the `[n]` of sources that its reader is not shown. */
export function withoutMarks(text: string, sources: readonly Source[]): string {
  const numbers = new Set(sources.map(({ n }) => n));
  return text.replace(MARK, (mark, digits: string) => (numbers.has(Number(digits)) ? '' : mark));
}

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Replaces what no UTF-8 body and no PostgreSQL text can hold, lone surrogates and NUL, by U+FFFD. The length and every
 * other character stay, so offsets into the text stay right.
 */
export function cleanText(text: string): string {
  const wellFormed = SURROGATE.test(text) ? text.replace(LONE_SURROGATE, '\ufffd') : text;
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\ufffd') : wellFormed;
}

/** The first `max` UTF-16 units of a text, one less where that would split a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const splitsPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(max - 1, max + 1));
  return text.slice(0, splitsPair ? max - 1 : max);
}

/**
 * The texts that the tools found, in tool order, with the numbers of their sources. A result without passages of its own
 * is one passage. Judgements and texts made from earlier results are left out.
 */
export const foundPassages = (outcomes: readonly ToolOutcome[]): readonly SourcePassage[] =>
  outcomes.flatMap((outcome) => {
    if (outcome.status !== 'completed' || (outcome.evidence ?? 'found') !== 'found') return [];
    const { content, sources, passages = [] } = outcome;
    if (passages.length === 0)
      return content.trim() === '' ? [] : [passageOf(content, sources.length === 1 ? 0 : -1, sources)];
    return passages.map(({ text, source }) => passageOf(text, source, sources));
  });

function passageOf(
  text: string,
  at: number,
  sources: Extract<ToolOutcome, { status: 'completed' }>['sources'],
): SourcePassage {
  const source = sources[at];
  return { n: source?.n ?? null, title: source === undefined ? '' : titleOfSource(source), text };
}

/** `fits`: some material may answer. `nothing`: none does. `unread`: none does, and a tool that might know failed. */
export type MaterialFit = 'fits' | 'nothing' | 'unread';

/** Material that was found by a good match, or that no match is known of. */
const isEvidence = (outcome: ToolOutcome): boolean =>
  outcome.status === 'completed' &&
  (outcome.evidence ?? 'found') === 'found' &&
  outcome.chars > 0 &&
  outcome.search?.match?.weak !== true;

/** Whether the material of a run fits its question. */
export function materialFit(outcomes: readonly ToolOutcome[]): MaterialFit {
  if (outcomes.some(isEvidence)) return 'fits';
  return outcomes.some(({ status }) => status === 'failed') ? 'unread' : 'nothing';
}

const MAX_CHARS = 1_000;
const MAX_LANGUAGES = 20;
const LANGUAGE = /^[a-z]{2,3}$/;

/** Facts that are malformed count as unknown: a tool does not fail for them. */
function readSearch(value: unknown): ToldSearch | null {
  if (!isJsonObject(value)) return null;
  const match = readMatch(value.match);
  const languages = readLanguages(value.languages);
  const { searched_for: text } = value;
  const told = {
    ...(match === null ? {} : { match }),
    ...(typeof text === 'string' ? { searched_for: cleanText(cutText(text, MAX_CHARS)) } : {}),
    ...(languages === null ? {} : { languages }),
  };
  return Object.keys(told).length === 0 ? null : told;
}

function readMatch(value: unknown): Match | null {
  if (!isJsonObject(value)) return null;
  const { strength, weak } = value;
  const isKnown = typeof strength === 'number' && strength >= 0 && strength <= 1 && typeof weak === 'boolean';
  return isKnown ? { strength, weak } : null;
}

const isLanguage = (value: unknown): value is string => typeof value === 'string' && LANGUAGE.test(value);

function readLanguages(value: unknown): LanguageGap | null {
  if (!isJsonObject(value) || !isLanguage(value.question) || !Array.isArray(value.material)) return null;
  const material = (value.material as unknown[]).filter(isLanguage).slice(0, MAX_LANGUAGES);
  const bridge = LANGUAGE_BRIDGES.find((each) => each === value.bridge) ?? null;
  return { question: value.question, material, bridge };
}

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

function readPlace(value: unknown): PassageLocator {
  const unit = isJsonObject(value) ? LOCATOR_UNITS.find((each) => each === value['unit']) : undefined;
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
