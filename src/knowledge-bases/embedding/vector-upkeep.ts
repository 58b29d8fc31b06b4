import { Injectable } from '@nestjs/common';
import { JobQueue } from '../../platform/jobs';
import { VectorStore } from '../search/vector-store';
import { VectorStoreRepository } from '../search/vector-store.repository';
import { EmbeddingCacheRepository } from './embedding-cache.repository';
import { IndexBuilder } from './index-builder';
import { VectorIndexRepository } from './vector-index.repository';

const EVERY_MS = 60_000;
const PRUNE_EVERY = 60;
/** Steps of clearing away in one sweep: a stopping process waits for its sweep. */
const STEPS = 40;

/** Takes up indexes whose job was lost, and clears away vectors that no knowledge base names any more. */
@Injectable()
export class VectorUpkeep {
  /** Out of use when last looked at: questions that were planned before then have been answered by now. */
  private forgotten = new Set<number>();
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
    await this.indexes.adopt();
    await this.builder.resume(await this.indexes.unfinished());
    await this.clear();
  }

  private async clear(): Promise<void> {
    const forgotten = await this.vectors.forgotten();
    let steps = STEPS;
    for (const index of forgotten.filter((each) => this.forgotten.has(each))) {
      // What is left over is still forgotten at the next sweep.
      while (steps > 0 && !this.jobs.isStopping && (await this.vectors.removeSome(index))) steps -= 1;
    }
    this.forgotten = new Set(forgotten);
  }
}
