import { Injectable } from '@nestjs/common';
import { EmbeddingsService } from '../../connectors';
import { AppError } from '../../kernel';
import type { Embedding } from '../storage/knowledge-base.types';
import { type CachedVector, EmbeddingCacheRepository, textHash } from './embedding-cache.repository';

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
    const identity = await this.embeddings.identity(organizationId, { ...embedding, purpose: 'passage' });
    const hashes = texts.map((text) => textHash(identity, text));
    const known: Map<string, readonly number[]> = await this.cache.find(scope, [...new Set(hashes)]);
    const missing = new Map(
      texts.flatMap((text, at) => (known.has(hashes[at] ?? '') ? [] : [[hashes[at] ?? '', text] as const])),
    );
    const entries = [...missing];
    const round = this.embeddings.textsAtOnce(embedding.provider);
    // What a round has brought is kept, whatever becomes of the next: nobody waits long for a slow vendor at one go.
    for (let first = 0; first < entries.length; first += round) {
      const made = await this.make(organizationId, embedding, entries.slice(first, first + round), signal);
      await this.cache.add(scope, knowledgeBaseId, made);
      for (const { hash, vector } of made) known.set(hash, vector);
    }
    return hashes.map((hash) => known.get(hash) ?? []);
  }

  private async make(
    organizationId: string,
    embedding: Embedding,
    entries: readonly (readonly [hash: string, text: string])[],
    signal: AbortSignal,
  ): Promise<CachedVector[]> {
    const vectors = await this.embeddings.embed(organizationId, {
      ...embedding,
      purpose: 'passage',
      dimensions: embedding.shortened === true ? embedding.dimensions : null,
      texts: entries.map(([, text]) => text),
      signal,
    });
    assertDimensions(embedding, vectors);
    return entries.map(([hash], at) => ({ hash, vector: vectors[at] ?? [] }));
  }
}
