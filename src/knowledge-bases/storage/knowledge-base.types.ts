export const KNOWLEDGE_BASE_VISIBILITIES = ['private', 'organization'] as const;
export type KnowledgeBaseVisibility = (typeof KNOWLEDGE_BASE_VISIBILITIES)[number];

export const DOCUMENT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

export const RETRIEVAL_MODES = ['keyword', 'vector', 'hybrid'] as const;
export type RetrievalMode = (typeof RETRIEVAL_MODES)[number];

/** What texts are turned into vectors with. Vectors of two different ones do not compare. */
export interface Embedding {
  /** Name of an embedding provider: `openai`, `ollama`. */
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  /** The model was asked for fewer dimensions than its own. */
  readonly shortened?: boolean;
}

/** What an owner asks for; without `dimensions`, the model's own. */
export interface EmbeddingWish {
  readonly provider: string;
  readonly model: string;
  readonly dimensions?: number | undefined;
}

/** Steps of taking a document in: chunks stored and, where there is an embedding, chunks embedded. */
export interface DocumentProgress {
  readonly current: number;
  /** Steps known of so far; estimated while chunks are being stored. */
  readonly total: number;
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
  /** Null until it has been read. */
  readonly progress: DocumentProgress | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly warnings: string[];
  readonly attempts: number;
  readonly chunk_count: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const INDEX_STATUSES = ['ready', 'building', 'failed'] as const;
export type IndexStatus = (typeof INDEX_STATUSES)[number];

/** How a knowledge base can be searched now. */
export interface IndexView {
  readonly modes: RetrievalMode[];
  readonly status: IndexStatus;
  /** Chunks of the vectors that are being built; null when none are. */
  readonly progress: { readonly current: number; readonly total: number } | null;
  /** What the vectors that answer now were made with. */
  readonly embedding: { readonly provider: string; readonly model: string; readonly dimensions: number } | null;
  /** Why there are no vectors, or no new ones, where some are wanted. */
  readonly reason: string | null;
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
  /** Of every status. */
  readonly document_count: number;
  readonly embedding: { readonly provider: string; readonly model: string; readonly dimensions: number } | null;
  readonly hybrid_weight: number;
  readonly index: IndexView;
  readonly version: number;
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
  readonly embedding?: EmbeddingWish | null | undefined;
  readonly hybrid_weight?: number | null | undefined;
}

export type KnowledgeBaseChanges = Partial<NewKnowledgeBase>;

export interface ShareView {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
}
