import { Injectable } from '@nestjs/common';
import { EmbeddingsService } from '../../connectors';
import { type PlainChunk, VectorStoreRepository, type VectorTarget } from '../search/vectors/vector-store.repository';
import type { Embedding } from '../storage/knowledge-base.types';
import { embedTexts } from './embed-texts';
import { EmbeddingCacheRepository, textHash } from './embedding-cache.repository';

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
