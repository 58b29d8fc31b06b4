/** Where content came from, as clients see it (docs/reference/events.md). */
export interface KnowledgeBaseSource {
  readonly type: 'knowledge_base';
  readonly title: string;
  readonly url: string;
  /** 0..1, higher is closer. */
  readonly similarity: number;
  /** File name. */
  readonly document: string | null;
  /** First page it stands on, from 1. */
  readonly page?: number;
  /** Last page, where that is another one. */
  readonly page_end?: number;
  /** Headings above it, outermost first, joined by ` › `. */
  readonly section?: string;
  readonly document_id?: string;
  /** For a collection of an external server its id there, twice. */
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
