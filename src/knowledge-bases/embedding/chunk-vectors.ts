import { Injectable } from '@nestjs/common';
import type { Embedding } from '../storage/knowledge-base.types';
import { type PlainChunk, VectorStoreRepository, type VectorTarget } from '../search/vector-store.repository';
import { PassageEmbedder } from './passage-embedder';

/** Chunks that are embedded before their vectors are written: what a crash costs, at most. */
export const PAGE = 64;
/** Numbers of one statement. */
const NUMBERS = 40_000;

/** A passage without its headings, or rows without column names, often do not say what they are about. */
const textOf = ({ section, table_header: header, text }: PlainChunk): string => {
  const named = header === null ? text : `${header}\n${text}`;
  return section === '' ? named : `${section}\n\n${named}`;
};

/** Makes and writes vectors of chunks. */
@Injectable()
export class ChunkVectors {
  constructor(
    private readonly passages: PassageEmbedder,
    private readonly store: VectorStoreRepository,
  ) {}

  async make(
    target: VectorTarget,
    embedding: Embedding,
    chunks: readonly PlainChunk[],
    signal: AbortSignal,
  ): Promise<void> {
    if (chunks.length === 0) return;
    const vectors = await this.passages.embed(target, embedding, chunks.map(textOf), signal);
    const made = chunks.map(({ id }, at) => ({ chunkId: id, vector: vectors[at] ?? [] }));
    const batch = Math.max(1, Math.floor(NUMBERS / embedding.dimensions));
    for (let first = 0; first < made.length; first += batch) {
      await this.store.add(target, made.slice(first, first + batch));
    }
  }
}
