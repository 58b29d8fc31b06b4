import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel';
import { Transactions } from '../../infrastructure/database';
import { VectorStore } from '../search/vectors/vector-store';
import { VectorStoreRepository } from '../search/vectors/vector-store.repository';
import { ChunkVectors, PAGE } from './chunk-vectors';
import type { RowRef } from '../storage/row-queue';
import { VectorIndexRepository } from './vector-index.repository';

/** Time slice of one document. Without it, slow vendors would occupy all workers. */
const TIME_SLICE_MS = 5 * 60_000;

/** The vectors made so far are kept. The next try continues. */
export class EmbeddingTimeSliceEnded extends AppError {
  constructor() {
    super('upstream_timeout', 'The embedding vendor took too long for all passages of the document');
  }
}

/** One set of chunks of a document. */
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
  constructor(
    private readonly indexes: VectorIndexRepository,
    private readonly store: VectorStore,
    private readonly vectors: VectorStoreRepository,
    private readonly chunks: ChunkVectors,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Embeds the missing chunks of `target.generation` for the vector index in use, if there is one. An index that is being
   * built gets them from its builder. Safe to repeat. Rejects like `embedTexts`, and with `EmbeddingTimeSliceEnded`.
   */
  async embedGeneration(
    target: EmbeddingTarget,
    { signal, done }: EmbeddingProgress,
    timeSliceMs = TIME_SLICE_MS,
  ): Promise<void> {
    const timeSlice = AbortSignal.timeout(timeSliceMs);
    try {
      await this.embedAll(target, { signal: AbortSignal.any([signal, timeSlice]), done });
    } catch (error) {
      throw timeSlice.aborted && !signal.aborted ? new EmbeddingTimeSliceEnded() : error;
    }
  }

  private async embedAll(target: EmbeddingTarget, { signal, done }: EmbeddingProgress): Promise<void> {
    const knowledgeBase = { organizationId: target.organizationId, id: target.knowledgeBaseId };
    if (!this.store.available) return this.forget(knowledgeBase);
    // Read again for every page: another index may be in use now.
    for (;;) {
      signal.throwIfAborted();
      const state = await this.indexes.state(knowledgeBase);
      if (state?.vectorIndex == null || state.vectorEmbedding === null) return;
      const missing = await this.vectors.missingOf(target, state.vectorIndex, PAGE);
      if (missing.length === 0) return;
      const place = { ...target, index: state.vectorIndex };
      await this.chunks.make(place, state.vectorEmbedding, missing, signal);
      const { current, total } = await this.vectors.progressOf(target, state.vectorIndex);
      done(current, total);
    }
  }

  /** Drops an index that would miss chunks. It is built again when the database has vectors again. */
  private async forget(knowledgeBase: RowRef): Promise<void> {
    const { vectorIndex } = (await this.indexes.state(knowledgeBase)) ?? {};
    if (vectorIndex == null) return;
    await this.transactions.run(async (tx) => {
      const state = await this.indexes.locked(knowledgeBase, tx);
      if (state === null) return;
      await this.indexes.write(knowledgeBase, { ...state, vectorIndex: null, vectorEmbedding: null }, tx);
    });
  }
}
