import { Injectable } from '@nestjs/common';
import { EmbeddingsService, isKnownEmbeddingModel } from '../../connectors';
import { invalid } from '../../kernel';
import type { Transaction } from '../../platform/database';
import type { Embedding, EmbeddingWish } from '../storage/knowledge-base.types';
import { VectorStore } from '../search/vector-store';
import { IndexBuilder } from './index-builder';
import { type KnowledgeBaseRef, VectorIndexRepository, type VectorIndexState } from './vector-index.repository';

const PROBE = 'What is this text about?';
const NOTHING: VectorIndexState = { embedding: null, vectorIndex: null, vectorEmbedding: null, nextVectorIndex: null };

/** Share of the vectors in a hybrid ranking where nobody set one. */
const KNOWN_MODEL_WEIGHT = 0.5;

const keyOf = ({ provider, model, dimensions, shortened = false }: Embedding): string =>
  JSON.stringify([provider, model, dimensions, shortened]);

const isSameEmbedding = (one: Embedding, other: Embedding | null): boolean =>
  other !== null && keyOf(one) === keyOf(other);

const isWished = (embedding: Embedding | null, wish: EmbeddingWish): boolean =>
  embedding?.provider === wish.provider &&
  embedding.model === wish.model &&
  (embedding.shortened === true ? embedding.dimensions : undefined) === wish.dimensions;

/** 0 for a model that is not known to rank well: mixed in, such a one made the ranking by words worse. */
export const defaultHybridWeight = (embedding: Embedding | null): number =>
  embedding !== null && isKnownEmbeddingModel(embedding.model) ? KNOWN_MODEL_WEIGHT : 0;

/** What knowledge bases are embedded with: chosen, changed, taken back. */
@Injectable()
export class EmbeddingSettings {
  constructor(
    private readonly embeddings: EmbeddingsService,
    private readonly store: VectorStore,
    private readonly indexes: VectorIndexRepository,
    private readonly builder: IndexBuilder,
  ) {}

  /**
   * Asks the model once: it must exist, and its dimensions are kept. One of `known`, which the knowledge base has or waits
   * for, is not asked again, so that a change can be taken back while its old provider is down.
   * Rejects with `validation_failed`, and as `EmbeddingsService.embed` does.
   */
  async choose(
    organizationId: string,
    wish: EmbeddingWish | null,
    known: readonly (Embedding | null)[],
    signal: AbortSignal,
  ): Promise<Embedding | null> {
    if (wish === null) return null;
    const { provider, model, dimensions = null } = wish;
    this.assertKnown(wish);
    const same = known.find((each) => isWished(each, wish)) ?? null;
    if (same !== null) return same;
    const job = { provider, model, dimensions, purpose: 'query', texts: [PROBE], signal } as const;
    const [vector = []] = await this.embeddings.embed(organizationId, job);
    return { provider, model, dimensions: vector.length, ...(dimensions === null ? {} : { shortened: true }) };
  }

  /** For a knowledge base without chunks: its index is complete as it is. */
  async initial(embedding: Embedding | null, tx: Transaction): Promise<VectorIndexState> {
    if (embedding === null) return NOTHING;
    if (!this.store.available) return { ...NOTHING, embedding };
    return { ...NOTHING, embedding, vectorIndex: await this.indexes.number(tx), vectorEmbedding: embedding };
  }

  /**
   * Has the vectors that answer replaced by those of `embedding`, built beside them; they go on answering until then. The
   * embedding that they have takes such a change back. Then call `wake`.
   */
  async change(knowledgeBase: KnowledgeBaseRef, embedding: Embedding | null, tx: Transaction): Promise<void> {
    const state = await this.indexes.locked(knowledgeBase, tx);
    if (state === null) return;
    const next = await this.nextState(state, embedding, tx);
    await this.indexes.write(knowledgeBase, next, tx);
    if (next.nextVectorIndex !== null) await this.builder.request(knowledgeBase, tx);
  }

  /** After the commit. */
  wake(): void {
    this.builder.wake();
  }

  private async nextState(
    state: VectorIndexState,
    embedding: Embedding | null,
    tx: Transaction,
  ): Promise<VectorIndexState> {
    if (embedding === null) return NOTHING;
    if (state.vectorIndex !== null && isSameEmbedding(embedding, state.vectorEmbedding)) {
      return { ...state, embedding, nextVectorIndex: null };
    }
    if (state.nextVectorIndex !== null && isSameEmbedding(embedding, state.embedding)) return state;
    return { ...state, embedding, nextVectorIndex: this.store.available ? await this.indexes.number(tx) : null };
  }

  private assertKnown({ provider }: EmbeddingWish): void {
    const definitions = this.embeddings.definitions();
    if (definitions.some(({ name }) => name === provider)) return;
    const names = definitions.map(({ name }) => name).join(', ');
    throw invalid([{ path: 'embedding.provider', message: `must be one of ${names}` }]);
  }
}
