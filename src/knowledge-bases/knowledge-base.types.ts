import type { JsonObject, KnowledgeBaseSource } from '../kernel';

export const KNOWLEDGE_BASE_VISIBILITIES = ['private', 'organization'] as const;
export type KnowledgeBaseVisibility = (typeof KNOWLEDGE_BASE_VISIBILITIES)[number];

export const DOCUMENT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

export const RETRIEVAL_MODES = ['keyword', 'vector', 'hybrid'] as const;
export type RetrievalMode = (typeof RETRIEVAL_MODES)[number];

/** What texts are turned into vectors with. Vectors of two different ones do not compare. */
export interface Embedding {
  /** Name of an embedding provider: `openai`, `ollama`, `local`. */
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
}

/** One piece of a document that answers a query. */
export interface Passage {
  /** A slice of the uploaded text, unchanged. */
  readonly text: string;
  /** 0..1, higher is closer. */
  readonly similarity: number;
  readonly source: KnowledgeBaseSource;
  readonly metadata: JsonObject;
}

export interface RetrievalQuery {
  readonly text: string;
  /** Ids or slugs of knowledge bases, or collection ids of the organization's external server. */
  readonly collections: readonly string[];
  readonly topK: number;
  /** Passages below this similarity are left out. */
  readonly threshold: number;
  readonly mode?: RetrievalMode;
  readonly signal?: AbortSignal;
}

export interface CollectionPassages {
  readonly collection: string;
  readonly passages: readonly Passage[];
  /** Why this collection gave nothing, when it failed. */
  readonly error?: string;
}

export interface Retrieval {
  /** In the order of the query's collections, each with up to `topK` of its own best passages. */
  readonly byCollection: readonly CollectionPassages[];
  /** Best passages over all collections by similarity, at most `topK`. */
  readonly passages: readonly Passage[];
  readonly warnings: readonly string[];
}

/** One document, as the API shows it. */
export interface DocumentView {
  readonly id: string;
  readonly knowledge_base_id: string;
  readonly filename: string;
  readonly title: string | null;
  readonly content_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly status: DocumentStatus;
  readonly error: string | null;
  readonly attempts: number;
  readonly chunk_count: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface KnowledgeBaseView {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly language: string | null;
  readonly visibility: KnowledgeBaseVisibility;
  readonly owner: string;
  readonly access: 'owner' | 'read';
  readonly chunk_size: number;
  readonly chunk_overlap: number;
  readonly chunk_count: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface NewKnowledgeBase {
  readonly name: string;
  readonly slug?: string | undefined;
  readonly description?: string | undefined;
  readonly language?: string | undefined;
  readonly visibility?: KnowledgeBaseVisibility | undefined;
  readonly chunk_size?: number | undefined;
  readonly chunk_overlap?: number | undefined;
}

export interface KnowledgeBaseChanges {
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: KnowledgeBaseVisibility | undefined;
}

export interface ShareView {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
}
