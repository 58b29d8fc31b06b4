import { Injectable } from '@nestjs/common';
import { JobQueue } from '../../infrastructure/jobs';
import { VectorStore } from '../search/vectors/vector-store';
import { VectorStoreRepository } from '../search/vectors/vector-store.repository';
import { EmbeddingCacheRepository } from './embedding-cache.repository';
import { IndexBuilder } from './index-builder';
import { VectorIndexRepository } from './vector-index.repository';

const EVERY_MS = 60_000;
const PRUNE_EVERY = 60;
/** Delete statements of one sweep: a stopping process waits for its sweep. */
const STEPS = 40;

/** Enqueues builds whose job was lost, and deletes vectors that no knowledge base uses. */
@Injectable()
export class VectorMaintenance {
  /** Indexes that were unused at the last sweep: the searches that used them have ended. */
  private unused = new Set<number>();
  private rounds = 0;

  constructor(
    private readonly indexes: VectorIndexRepository,
    private readonly store: VectorStore,
    private readonly vectors: VectorStoreRepository,
    private readonly cache: EmbeddingCacheRepository,
    private readonly builder: IndexBuilder,
    private readonly jobs: JobQueue,
  ) {
    jobs.sweep(EVERY_MS, () => this.sweep());
  }

  async sweep(): Promise<void> {
    if ((this.rounds += 1) % PRUNE_EVERY === 0) await this.cache.prune();
    if (!this.store.available) return;
    await this.indexes.requestMissing();
    await this.builder.repair(await this.indexes.unfinished());
    await this.deleteUnused();
  }

  private async deleteUnused(): Promise<void> {
    const unused = await this.vectors.unused();
    let steps = STEPS;
    for (const index of unused.filter((each) => this.unused.has(each))) {
      while (steps > 0 && !this.jobs.isStopping && (await this.vectors.removeSome(index))) steps -= 1;
    }
    this.unused = new Set(unused);
  }
}
