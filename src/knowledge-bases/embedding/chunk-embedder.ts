import { AppError } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { EmbeddingsService } from '../../connectors';
import { Transactions } from '../../infrastructure/database';
import { VectorStore } from '../search/vector-store';
import { type PlainChunk, VectorStoreRepository, type VectorTarget } from '../search/vector-store.repository';
import type { Embedding } from '../storage/knowledge-base.types';
import type { RowRef } from '../storage/row-queue';
import { EmbeddingCacheRepository, textHash } from './embedding-cache.repository';
import { VectorIndexRepository } from './vector-index.repository';

interface TextsToEmbed {
  readonly purpose: 'passage' | 'query';
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Vectors of length 1 in the order of the texts, comparable with those that `embedding` made before. Rejects like
 * `EmbeddingsService.embed`, and with `embedding_model_mismatch` when the model now gives other dimensions.
 */
export async function embedTexts(
  embeddings: EmbeddingsService,
  organizationId: string,
  { provider, model, dimensions, shortened = false }: Embedding,
  job: TextsToEmbed,
): Promise<readonly (readonly number[])[]> {
  const wanted = shortened ? dimensions : null;
  const vectors = await embeddings.embed(organizationId, { provider, model, dimensions: wanted, ...job });
  const other = vectors.find(({ length }) => length !== dimensions);
  if (other === undefined) return vectors;
  throw new AppError(
    'embedding_model_mismatch',
    `The model ${model} now gives ${other.length} dimensions, but the knowledge base was embedded with ${dimensions}`,
  );
}

/** Chunks that are embedded before their vectors are written: the most that a crash loses. */
export const PAGE = 64;
/** Most numbers of one INSERT. */
const NUMBERS = 40_000;

/** The text to embed: headings and column names say what a passage is about. */
const textOf = ({ section, table_header: header, text }: PlainChunk): string => {
  const named = header === null ? text : `${header}\n${text}`;
  return section === '' ? named : `${section}\n\n${named}`;
};

/** Embeds chunks, or takes their vectors from the cache, and writes them. */
@Injectable()
export class ChunkVectors {
  constructor(
    private readonly embeddings: EmbeddingsService,
    private readonly cache: EmbeddingCacheRepository,
    private readonly store: VectorStoreRepository,
  ) {}

  /** Rejects like `embedTexts`. */
  async make(
    target: VectorTarget,
    embedding: Embedding,
    chunks: readonly PlainChunk[],
    signal: AbortSignal,
  ): Promise<void> {
    if (chunks.length === 0) return;
    const vectors = await this.embedded(target, embedding, chunks.map(textOf), signal);
    const made = chunks.map(({ id }, at) => ({ chunkId: id, vector: vectors[at] ?? [] }));
    const batch = Math.max(1, Math.floor(NUMBERS / embedding.dimensions));
    for (let first = 0; first < made.length; first += batch) {
      await this.store.add(target, made.slice(first, first + batch));
    }
  }

  private async embedded(
    { organizationId, knowledgeBaseId }: VectorTarget,
    embedding: Embedding,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<(readonly number[])[]> {
    const scope = { organizationId, embedding };
    const identity = await this.embeddings.identity(organizationId, { ...embedding, purpose: 'passage' });
    const hashes = texts.map((text) => textHash(identity, text));
    const textByHash = new Map(hashes.map((hash, at) => [hash, texts[at] ?? '']));
    const known: Map<string, readonly number[]> = await this.cache.find(scope, [...textByHash.keys()]);
    const missing = [...textByHash].filter(([hash]) => !known.has(hash));
    const round = this.embeddings.textsAtOnce(embedding.provider);
    // The vectors of each round are cached at once, so a later failure does not lose them.
    for (let first = 0; first < missing.length; first += round) {
      const some = missing.slice(first, first + round);
      const job = { purpose: 'passage', texts: some.map(([, text]) => text), signal } as const;
      const vectors = await embedTexts(this.embeddings, organizationId, embedding, job);
      const made = some.map(([hash], at) => ({ hash, vector: vectors[at] ?? [] }));
      await this.cache.add(scope, knowledgeBaseId, made);
      for (const { hash, vector } of made) known.set(hash, vector);
    }
    return hashes.map((hash) => known.get(hash) ?? []);
  }
}

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
