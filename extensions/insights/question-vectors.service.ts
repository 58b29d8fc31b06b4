import { atMost } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { EmbeddingsService } from '../../src/connectors';
import type { Vector } from './group-by-meaning';

/** About 25 MB of the largest common vectors. */
const MOST_VECTORS = 2_000;
const TTL_MS = 60 * 60_000;
const LONGEST_MS = 60_000;

/** An embedding model that the organization can use. */
export interface QuestionEmbedding {
  readonly provider: string;
  readonly model: string;
  /** The model is asked for so many; null: its own. */
  readonly dimensions: number | null;
}

/** Vectors of questions, which each process remembers. */
@Injectable()
export class QuestionVectors {
  private readonly cache = new LRUCache<string, Vector>({ ...atMost(MOST_VECTORS), ttl: TTL_MS });

  constructor(private readonly embeddings: EmbeddingsService) {}

  /** The chosen model, or that of the service where the organization cannot use it; null without any. */
  async usable(organizationId: string, chosen: QuestionEmbedding | null): Promise<QuestionEmbedding | null> {
    const isUsable = chosen !== null && (await this.embeddings.isConfigured(organizationId, chosen.provider));
    return isUsable ? chosen : this.own;
  }

  /** The model that the service runs itself; null without one. */
  private get own(): QuestionEmbedding | null {
    const found = this.embeddings.definitions().find(({ vendor }) => vendor === null);
    if (found === undefined || found.defaultModel === null) return null;
    return { provider: found.name, model: found.defaultModel, dimensions: null };
  }

  /** One vector per text, in order. Rejects like `EmbeddingsService.embed`. */
  async of(organizationId: string, embedding: QuestionEmbedding, texts: readonly string[]): Promise<Vector[]> {
    const identity = await this.embeddings.identity(organizationId, { ...embedding, purpose: 'query' });
    const { provider, model, dimensions } = embedding;
    const keys = texts.map((text) =>
      createHash('sha256')
        .update(JSON.stringify([organizationId, provider, model, dimensions, identity, text]))
        .digest('base64'),
    );
    const known = keys.map((key) => this.cache.get(key));
    const missing = texts.filter((_, at) => known[at] === undefined);
    const signal = AbortSignal.timeout(LONGEST_MS);
    const made =
      missing.length === 0
        ? []
        : await this.embeddings.embed(organizationId, { ...embedding, purpose: 'query', texts: missing, signal });
    const fresh = made.values();
    return keys.map((key, at) => {
      const vector = known[at] ?? Float32Array.from(fresh.next().value ?? []);
      this.cache.set(key, vector);
      return vector;
    });
  }
}
