import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel';
import { Transactions } from '../../platform/database';
import { VectorStore } from '../search/vector-store';
import { VectorStoreRepository } from '../search/vector-store.repository';
import { ChunkVectors, PAGE } from './chunk-vectors';
import { type KnowledgeBaseRef, VectorIndexRepository } from './vector-index.repository';

/** One document's turn at the vendor. A slow one would otherwise keep every place of every organization. */
const TURN_MS = 5 * 60_000;

/** What was made so far is kept; the next try goes on from there. */
export class EmbeddingTurnOver extends AppError {
  constructor() {
    super('upstream_timeout', 'The embedding vendor took too long for all passages of the document');
  }
}

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
  constructor(
    private readonly indexes: VectorIndexRepository,
    private readonly store: VectorStore,
    private readonly vectors: VectorStoreRepository,
    private readonly chunks: ChunkVectors,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Makes the vectors of every chunk of `target.generation` for the index in force; nothing happens where the knowledge base
   * has none. One that is being built gets them from its builder, which looks at every chunk before it takes over. Safe to
   * repeat. Rejects with an `AppError` whose code is `upstream_*`, `embedding_model_mismatch`, `connector_not_configured`,
   * `secret_unavailable`, `outbound_refused` or `cancelled`; with `EmbeddingTurnOver` after `turnMs`.
   */
  async embedGeneration(target: EmbeddingTarget, { signal, done }: EmbeddingProgress, turnMs = TURN_MS): Promise<void> {
    const turn = AbortSignal.timeout(turnMs);
    try {
      await this.embedAll(target, { signal: AbortSignal.any([signal, turn]), done });
    } catch (error) {
      throw turn.aborted && !signal.aborted ? new EmbeddingTurnOver() : error;
    }
  }

  private async embedAll(target: EmbeddingTarget, { signal, done }: EmbeddingProgress): Promise<void> {
    const knowledgeBase = { organizationId: target.organizationId, id: target.knowledgeBaseId };
    if (!this.store.available) return this.forget(knowledgeBase);
    // Asked anew for every page: another index may have come into force meanwhile.
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

  /** An index that misses chunks does not answer; it is built again when the database has vectors again. */
  private async forget(knowledgeBase: KnowledgeBaseRef): Promise<void> {
    const { vectorIndex } = (await this.indexes.state(knowledgeBase)) ?? {};
    if (vectorIndex == null) return;
    await this.transactions.run(async (tx) => {
      const state = await this.indexes.locked(knowledgeBase, tx);
      if (state === null) return;
      await this.indexes.write(knowledgeBase, { ...state, vectorIndex: null, vectorEmbedding: null }, tx);
    });
  }
}
