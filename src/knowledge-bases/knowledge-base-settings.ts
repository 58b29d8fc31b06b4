import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { invalid } from '../kernel';
import type { Transaction } from '../platform/database';
import { EmbeddingSettings } from './embedding/embedding-settings';
import type { VectorIndexState } from './embedding/vector-index.repository';
import { ReingestService } from './ingestion/reingest.service';
import type { KnowledgeBaseEntity } from './storage/knowledge-base.entity';
import type { Embedding, KnowledgeBaseChanges, NewKnowledgeBase } from './storage/knowledge-base.types';

/** Characters: a page or so, which measured best over collections in three languages. */
const CHUNK_SIZE = 2000;
const CHUNK_OVERLAP = 200;
/** A vendor that says nothing for so long while somebody waits is told so. */
const PROBE_MS = 20_000;

type Columns = Partial<
  Pick<
    KnowledgeBaseEntity,
    'name' | 'slug' | 'description' | 'visibility' | 'language' | 'chunkSize' | 'chunkOverlap' | 'hybridWeight'
  >
>;

/** A change that was found to be possible. */
export interface PlannedChange {
  readonly columns: Columns;
  /** undefined: as it is. */
  readonly embedding: Embedding | null | undefined;
  /** Documents have to be cut, or their words read, anew. */
  readonly reingest: boolean;
  /** Something is to be another than it is. */
  readonly changes: boolean;
}

/** How a knowledge base cuts, reads and embeds its documents, and what a change of that sets going. */
@Injectable()
export class KnowledgeBaseSettings {
  constructor(
    private readonly embeddings: EmbeddingSettings,
    private readonly reingestion: ReingestService,
  ) {}

  /** Asks the embedding model. Throws `validation_failed` and what `EmbeddingSettings.choose` throws. */
  chosen(organizationId: string, { embedding }: NewKnowledgeBase): Promise<Embedding | null> {
    return this.embeddings.choose(organizationId, embedding ?? null, [], AbortSignal.timeout(PROBE_MS));
  }

  /** Vectors of a knowledge base without documents. */
  initial(embedding: Embedding | null, tx: Transaction): Promise<VectorIndexState> {
    return this.embeddings.initial(embedding, tx);
  }

  /** As `chosen`; undefined: as it is. */
  async wished(row: KnowledgeBaseEntity, changes: KnowledgeBaseChanges): Promise<Embedding | null | undefined> {
    assertSizes(row, changes);
    if (changes.embedding === undefined) return undefined;
    const signal = AbortSignal.timeout(PROBE_MS);
    const known = [row.embedding, row.vectorEmbedding];
    return this.embeddings.choose(row.organizationId, changes.embedding, known, signal);
  }

  /** What `changes` make of `row`. Throws `validation_failed`. */
  plan(
    row: KnowledgeBaseEntity,
    changes: KnowledgeBaseChanges,
    embedding: Embedding | null | undefined,
  ): PlannedChange {
    assertSizes(row, changes);
    const columns = columnsOf(changes);
    const { chunkSize = row.chunkSize, chunkOverlap = row.chunkOverlap, language = row.language } = columns;
    const cutsDifferently = chunkSize !== row.chunkSize || chunkOverlap !== row.chunkOverlap;
    const embedsDifferently = embedding !== undefined && !isDeepStrictEqual(embedding, row.embedding);
    return {
      columns,
      embedding,
      reingest: cutsDifferently || language !== row.language,
      changes:
        embedsDifferently || Object.entries(columns).some(([name, value]) => row[name as keyof Columns] !== value),
    };
  }

  /** In the transaction that writes the columns. */
  async apply(row: KnowledgeBaseEntity, { embedding, reingest }: PlannedChange, tx: Transaction): Promise<void> {
    if (embedding !== undefined) await this.embeddings.change(row, embedding, tx);
    if (reingest) await this.reingestion.all(row, tx);
  }

  /** After the commit. */
  wake(): void {
    this.embeddings.wake();
  }
}

/** Sizes of chunks, with the defaults for what is absent. @throws AppError `validation_failed` */
export function chunkSizes({ chunk_size: size = CHUNK_SIZE, chunk_overlap }: NewKnowledgeBase): {
  size: number;
  overlap: number;
} {
  const overlap = chunk_overlap ?? Math.min(CHUNK_OVERLAP, Math.floor(size / 4));
  assertOverlap(size, overlap);
  return { size, overlap };
}

function assertSizes(row: KnowledgeBaseEntity, changes: KnowledgeBaseChanges): void {
  assertOverlap(changes.chunk_size ?? row.chunkSize, changes.chunk_overlap ?? row.chunkOverlap);
}

function assertOverlap(size: number, overlap: number): void {
  if (overlap * 2 <= size) return;
  throw invalid([{ path: 'chunk_overlap', message: 'must be at most half of chunk_size' }]);
}

function columnsOf(changes: KnowledgeBaseChanges): Columns {
  const columns = {
    name: changes.name,
    slug: changes.slug,
    description: changes.description,
    visibility: changes.visibility,
    language: changes.language,
    chunkSize: changes.chunk_size,
    chunkOverlap: changes.chunk_overlap,
    hybridWeight: changes.hybrid_weight,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}
