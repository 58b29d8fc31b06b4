import { Injectable } from '@nestjs/common';
import { EmbeddingsService } from '../../connectors';
import { AppError } from '../../kernel';
import type { Embedding } from '../knowledge-base.types';
import { EmbeddingCacheRepository, textHash } from './embedding-cache.repository';

export interface PassageScope {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
}

/** @throws AppError `embedding_model_mismatch` when the model answers with other dimensions than it did before */
export function assertDimensions({ model, dimensions }: Embedding, vectors: readonly (readonly number[])[]): void {
  const other = vectors.find(({ length }) => length !== dimensions);
  if (other === undefined) return;
  const message = `The model ${model} answers with ${other.length} dimensions, the knowledge base was embedded with ${model} of ${dimensions}`;
  throw new AppError('embedding_model_mismatch', message);
}

/** Vectors of passages, from the cache where they are known. */
@Injectable()
export class PassageEmbedder {
  constructor(
    private readonly embeddings: EmbeddingsService,
    private readonly cache: EmbeddingCacheRepository,
  ) {}

  /** One vector of length 1 per text, in order. Rejects as `EmbeddingsService.embed` does. */
  async embed(
    { organizationId, knowledgeBaseId }: PassageScope,
    embedding: Embedding,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<(readonly number[])[]> {
    const scope = { organizationId, embedding };
    const hashes = texts.map(textHash);
    const known: Map<string, readonly number[]> = await this.cache.find(scope, [...new Set(hashes)]);
    const missing = new Map(
      texts.flatMap((text, at) => (known.has(hashes[at] ?? '') ? [] : [[hashes[at] ?? '', text]])),
    );
    if (missing.size > 0) {
      const vectors = await this.embeddings.embed(organizationId, {
        ...embedding,
        purpose: 'passage',
        dimensions: embedding.shortened === true ? embedding.dimensions : null,
        texts: [...missing.values()],
        signal,
      });
      assertDimensions(embedding, vectors);
      const made = [...missing.keys()].map((hash, at) => ({ hash, vector: vectors[at] ?? [] }));
      await this.cache.add(scope, knowledgeBaseId, made);
      for (const { hash, vector } of made) known.set(hash, vector);
    }
    return hashes.map((hash) => known.get(hash) ?? []);
  }
}
