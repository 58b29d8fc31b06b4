import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EmbeddingsService } from '../../connectors';
import type { Embedding } from '../storage/knowledge-base.types';
import { textHash } from './embedding-cache.repository';
import { assertDimensions } from './passage-embedder';

const REMEMBERED = 500;
const REMEMBER_MS = 60 * 60_000;

/** Vectors of questions. A conversation asks several knowledge bases the same. */
@Injectable()
export class QueryEmbedder {
  private readonly known = new LRUCache<string, readonly number[]>({ max: REMEMBERED, ttl: REMEMBER_MS });

  constructor(private readonly embeddings: EmbeddingsService) {}

  /**
   * The vector of a question, of length 1, to search an index that was made with `embedding` (`vectorEmbedding` of the
   * knowledge base). Rejects with an `AppError`: `upstream_*`, `connector_not_configured`, `secret_unavailable`,
   * `outbound_refused`, `cancelled`; `embedding_model_mismatch` when the provider's answer has other dimensions than the index.
   */
  async embed(
    organizationId: string,
    embedding: Embedding,
    text: string,
    signal: AbortSignal,
  ): Promise<readonly number[]> {
    const { provider, model, dimensions, shortened = false } = embedding;
    const identity = await this.embeddings.identity(organizationId, { provider, model, purpose: 'query' });
    const key = textHash(JSON.stringify([organizationId, provider, model, dimensions, identity]), text);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const vectors = await this.embeddings.embed(organizationId, {
      provider,
      model,
      purpose: 'query',
      texts: [text],
      dimensions: shortened ? dimensions : null,
      signal,
    });
    assertDimensions(embedding, vectors);
    const [vector = []] = vectors;
    this.known.set(key, vector);
    return vector;
  }
}
