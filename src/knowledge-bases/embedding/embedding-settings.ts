import { invalid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { EmbeddingsService, ranksWellIn } from '../../connectors';
import type { Transaction } from '../../infrastructure/database';
import { type TextLanguage, isIn } from '../../infrastructure/languages';
import { VectorStore } from '../search/vector-store';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import type { Embedding, EmbeddingWish } from '../storage/knowledge-base.types';
import type { RowRef } from '../storage/row-queue';
import { IndexBuilder } from './index-builder';
import { VectorIndexRepository, type VectorIndexState } from './vector-index.repository';

/** Default weight of the vectors in a hybrid ranking. */
const KNOWN_MODEL_WEIGHT = 0.5;

type Base = Pick<KnowledgeBaseEntity, 'hybridWeight' | 'embedding' | 'vectorEmbedding' | 'language' | 'languages'>;

/** The owner's weight; else by model and languages, because vectors of a language that a model does not know are noise. */
export function hybridWeightOf(base: Base): number {
  if (base.hybridWeight !== null) return base.hybridWeight;
  const embedding = base.vectorEmbedding ?? base.embedding;
  const { language, languages } = base;
  const all = languages.length > 0 || language === null ? languages : [language];
  return embedding !== null && ranksWellIn(embedding.model, all) ? KNOWN_MODEL_WEIGHT : 0;
}

const ANY_LANGUAGE = ['*'];

/**
 * Whether the question is in a language that the model does not know. The owner's own weight holds for every question. Waits
 * for the language only where it matters.
 */
export async function isForeignTo(
  { hybridWeight, vectorEmbedding }: Pick<Base, 'hybridWeight' | 'vectorEmbedding'>,
  asked: Promise<TextLanguage | null>,
): Promise<boolean> {
  if (hybridWeight !== null || vectorEmbedding === null || ranksWellIn(vectorEmbedding.model, ANY_LANGUAGE))
    return false;
  const question = await asked;
  return question !== null && !isIn(question, ['en']);
}

const PROBE = 'What is this text about?';
const NOTHING: VectorIndexState = { embedding: null, vectorIndex: null, vectorEmbedding: null, nextVectorIndex: null };

const keyOf = ({ provider, model, dimensions, shortened = false }: Embedding): string =>
  JSON.stringify([provider, model, dimensions, shortened]);

const isSameEmbedding = (one: Embedding, other: Embedding | null): boolean =>
  other !== null && keyOf(one) === keyOf(other);

const isWished = (embedding: Embedding | null, wish: EmbeddingWish): boolean =>
  embedding?.provider === wish.provider &&
  embedding.model === wish.model &&
  (embedding.shortened === true ? embedding.dimensions : undefined) === wish.dimensions;

/** Chooses and changes the embedding of knowledge bases. */
@Injectable()
export class EmbeddingSettings {
  constructor(
    private readonly embeddings: EmbeddingsService,
    private readonly store: VectorStore,
    private readonly indexes: VectorIndexRepository,
    private readonly builder: IndexBuilder,
  ) {}

  /**
   * Checks the model with one call and stores its dimensions. A `known` embedding of the knowledge base is not checked, so a
   * change can be undone while its provider is down. Rejects with `validation_failed`, and like `EmbeddingsService.embed`.
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

  /** State of a knowledge base without chunks, whose index is complete. */
  async initial(embedding: Embedding | null, tx: Transaction): Promise<VectorIndexState> {
    if (embedding === null) return NOTHING;
    if (!this.store.available) return { ...NOTHING, embedding };
    return { ...NOTHING, embedding, vectorIndex: await this.indexes.nextId(tx), vectorEmbedding: embedding };
  }

  /**
   * Requests an index for `embedding`. The current index answers until the new one is complete. The embedding of the current
   * index undoes a change. Call `wake` after the commit.
   */
  async change(knowledgeBase: RowRef, embedding: Embedding | null, tx: Transaction): Promise<void> {
    const state = await this.indexes.locked(knowledgeBase, tx);
    if (state === null) return;
    const next = await this.nextState(state, embedding, tx);
    await this.indexes.write(knowledgeBase, next, tx);
    if (next.nextVectorIndex !== null) await this.builder.request(knowledgeBase, tx);
  }

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
    return { ...state, embedding, nextVectorIndex: this.store.available ? await this.indexes.nextId(tx) : null };
  }

  private assertKnown({ provider }: EmbeddingWish): void {
    const definitions = this.embeddings.definitions();
    if (definitions.some(({ name }) => name === provider)) return;
    const names = definitions.map(({ name }) => name).join(', ');
    throw invalid([{ path: 'embedding.provider', message: `must be one of ${names}` }]);
  }
}
