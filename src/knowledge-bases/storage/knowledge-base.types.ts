export const KNOWLEDGE_BASE_VISIBILITIES = ['private', 'organization'] as const;
export type KnowledgeBaseVisibility = (typeof KNOWLEDGE_BASE_VISIBILITIES)[number];

export const DOCUMENT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

export const RETRIEVAL_MODES = ['keyword', 'vector', 'hybrid'] as const;
export type RetrievalMode = (typeof RETRIEVAL_MODES)[number];

export const INDEX_STATUSES = ['ready', 'building', 'failed'] as const;
export type IndexStatus = (typeof INDEX_STATUSES)[number];

/** An embedding model. Vectors of different models cannot be compared. */
export interface Embedding {
  /** Name of an embedding provider: `openai`, `ollama`. */
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  /** The model is asked for fewer dimensions than its own. */
  readonly shortened?: boolean;
}

/** The embedding that an owner asks for; without `dimensions`, with the model's own. */
export interface EmbeddingWish {
  readonly provider: string;
  readonly model: string;
  readonly dimensions?: number | undefined;
}
