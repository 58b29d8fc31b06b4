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
