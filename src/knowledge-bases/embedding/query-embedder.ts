import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EmbeddingsService } from '../../connectors';
import type { Embedding } from '../storage/knowledge-base.types';
import { embedTexts } from './chunk-embedder';
import { textHash } from './embedding-cache.repository';

const MAX_ENTRIES = 500;
const TTL_MS = 60 * 60_000;

/** Embeds questions. The cache serves several knowledge bases that get the same question. */
@Injectable()
export class QueryEmbedder {
  private readonly cache = new LRUCache<string, readonly number[]>({ max: MAX_ENTRIES, ttl: TTL_MS });

  constructor(private readonly embeddings: EmbeddingsService) {}

  /** The vector of a question for an index that was built with `embedding`. Rejects like `embedTexts`. */
  async embed(
    organizationId: string,
    embedding: Embedding,
    text: string,
    signal: AbortSignal,
  ): Promise<readonly number[]> {
    const { provider, model, dimensions } = embedding;
    const identity = await this.embeddings.identity(organizationId, { provider, model, purpose: 'query' });
    const key = textHash(JSON.stringify([organizationId, provider, model, dimensions, identity]), text);
    const known = this.cache.get(key);
    if (known !== undefined) return known;
    const job = { purpose: 'query', texts: [text], signal } as const;
    const [vector = []] = await embedTexts(this.embeddings, organizationId, embedding, job);
    this.cache.set(key, vector);
    return vector;
  }
}
