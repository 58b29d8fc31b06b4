/** Where content came from, as clients see it (docs/reference/events.md). */
export interface KnowledgeBaseSource {
  readonly type: 'knowledge_base';
  readonly title: string;
  readonly url: string;
  /** 0..1, higher is closer. */
  readonly similarity: number;
  readonly document: string | null;
  readonly page?: number;
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
