import type { SourcePlace } from './source-place';

/** A source as clients see it (docs/reference/events.md). */
export interface KnowledgeBaseSource {
  readonly type: 'knowledge_base';
  readonly title: string;
  readonly url: string;
  /** 0..1, higher is closer. */
  readonly similarity: number;
  /** File name. */
  readonly document: string | null;
  /** First page, from 1. */
  readonly page?: number;
  /** Last page; absent for one page. */
  readonly page_end?: number;
  /** Where it stands in the document, for formats that have pages, slides, sheets or cells. */
  readonly place?: SourcePlace;
  /** Headings above it, outermost first, joined by ` › `. */
  readonly section?: string;
  readonly document_id?: string;
  /** For a collection of an external server: its id there, twice. */
  readonly knowledge_base?: { readonly id: string; readonly name: string };
  /** Number of the source over all tools of the run, from 1. */
  readonly n?: number;
}
export interface RubricSource {
  readonly type: 'rubric';
  readonly rubric_id: string;
  readonly title: string;
  readonly format: 'markdown' | 'json';
  readonly n?: number;
}
export interface FileSource {
  readonly type: 'file';
  readonly path: string;
  readonly chars: number;
  readonly truncated: boolean;
  readonly n?: number;
}
export type Source = KnowledgeBaseSource | RubricSource | FileSource;

/**
 * Equal for the same place of a document, whichever tool found it. Excludes similarity and signed links, which differ
 * between calls. Passages of one place differ by their order.
 */
export function sourceIdentity(source: Source): string {
  if (source.type === 'rubric') return JSON.stringify([source.type, source.rubric_id, source.format]);
  if (source.type === 'file') return JSON.stringify([source.type, source.path, source.chars, source.truncated]);
  const { type, title, url, document, page, page_end, place, section, document_id, knowledge_base } = source;
  const where = document_id === undefined ? [title, url, document, knowledge_base?.id] : [document_id];
  const cell = page === undefined && place !== undefined ? [place.from, place.to] : [];
  return JSON.stringify([type, ...where, page, page_end, section, ...cell]);
}

/** Text that a tool found, for the reader and for connectors that quote. */
export interface SourcePassage {
  /** Number of its source over all tools of the run; null for material without a source. */
  readonly n: number | null;
  /** Title of the document, the section and the place; empty when unknown. */
  readonly title: string;
  readonly text: string;
}

export function titleOfSource(source: Source): string {
  if (source.type === 'file') return source.path;
  if (source.type === 'rubric') return source.title;
  const { place } = source;
  return place === undefined ? withSection(source) : `${withSection(source)}, ${place.text}`;
}

function withSection({ title, section = '' }: KnowledgeBaseSource): string {
  if (section === '' || section === title) return title;
  return section.startsWith(`${title} › `) ? section : `${title} › ${section}`;
}
