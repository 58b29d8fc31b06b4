import { AppError, type ErrorCode } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { JobQueue, type RunningJob } from '../../infrastructure/jobs';
import { VectorStore } from '../search/vector-store';
import { VectorStoreRepository, type VectorTarget } from '../search/vector-store.repository';
import type { Embedding } from '../storage/knowledge-base.types';
import { RowQueue, type RowRef } from '../storage/row-queue';
import { ChunkVectors, PAGE } from './chunk-embedder';
import { VectorIndexRepository } from './vector-index.repository';

const TRANSIENT: readonly ErrorCode[] = [
  'unavailable',
  'insufficient_storage',
  'too_many_requests',
  'rate_limited',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_timeout',
  'upstream_truncated',
  'upstream_bad_response',
  'server_shutdown',
];

/** Whether background work that failed with this code may succeed when it is tried again. */
export const isTransient = (code: ErrorCode): boolean => TRANSIENT.includes(code);

const MINUTE_MS = 60_000;
/** Time slice of one index, before the next one in the queue. */
const TIME_SLICE_MS = MINUTE_MS;
/** Limit of one step. A vendor may take minutes to answer. */
const STEP_MS = 3 * MINUTE_MS;

/** The retries take some hours in all, which outlasts most outages of a vendor. */
const QUEUE = { name: 'vector-index', concurrency: 1, retries: 12, retryDelay: 5, timeoutMs: 30 * MINUTE_MS };

/** The last chunk that was embedded. */
interface Position {
  readonly index: number | null;
  readonly chunkId: string;
}

const START: Position = { index: null, chunkId: '0' };

interface Work {
  readonly target: VectorTarget;
  readonly embedding: Embedding;
}

/**
 * Builds a vector index beside the current one, then replaces that. The row of the knowledge base says what to build, and the
 * stored vectors say what is done, so a build can stop and resume at any point. A newer request only changes the row.
 */
@Injectable()
export class IndexBuilder {
  private readonly log = new Logger(IndexBuilder.name);
  private readonly queue: RowQueue;

  constructor(
    private readonly indexes: VectorIndexRepository,
    private readonly store: VectorStore,
    private readonly vectors: VectorStoreRepository,
    private readonly chunks: ChunkVectors,
    private readonly transactions: Transactions,
    jobs: JobQueue,
  ) {
    this.queue = new RowQueue(jobs, QUEUE);
    this.queue.handle((job) => this.run(job));
  }

  /** Part of the transaction that writes the request into the row. */
  request(knowledgeBase: RowRef, tx: Transaction): Promise<void> {
    return this.queue.send([knowledgeBase], tx);
  }

  /** After the commit. */
  wake(): void {
    this.queue.wake();
  }

  /** Enqueues builds whose job was lost. */
  async repair(unfinished: readonly RowRef[]): Promise<void> {
    await this.queue.repair(unfinished, this.transactions);
  }

  /** Works on an index for one time slice, then queues it behind the others. Rejects to be retried. */
  async run(
    { data, lastTry, signal }: Pick<RunningJob<RowRef>, 'data' | 'lastTry' | 'signal'>,
    timeSliceMs = TIME_SLICE_MS,
  ): Promise<void> {
    if (!this.store.available) return;
    let last: Position = START;
    for (const end = performance.now() + timeSliceMs; ;) {
      signal.throwIfAborted();
      const work = await this.wanted(data);
      if (work === null) return;
      if (last.index !== work.target.index) last = { ...START, index: work.target.index };
      try {
        const next = await this.step(data, work, last, AbortSignal.any([signal, AbortSignal.timeout(STEP_MS)]));
        if (next === null) return;
        if (performance.now() >= end) return await this.later(data);
        last = next;
      } catch (error) {
        if (signal.aborted) throw error;
        if (await this.isFinal(data, work, error, lastTry)) return;
        throw error;
      }
    }
  }

  private async later(knowledgeBase: RowRef): Promise<void> {
    await this.transactions.run((tx) => this.request(knowledgeBase, tx));
    this.wake();
  }

  /** Null when there is nothing to build. */
  private async wanted(knowledgeBase: RowRef): Promise<Work | null> {
    const state = await this.indexes.state(knowledgeBase);
    if (state?.embedding == null || state.nextVectorIndex === null) return null;
    const { organizationId, id } = knowledgeBase;
    const target = { organizationId, knowledgeBaseId: id, index: state.nextVectorIndex };
    return { target, embedding: state.embedding };
  }

  /** Start of the next step; null when the index is complete and in use. */
  private async step(knowledgeBase: RowRef, work: Work, last: Position, signal: AbortSignal): Promise<Position | null> {
    const missing = await this.vectors.missing(work.target, last.chunkId, PAGE);
    await this.chunks.make(work.target, work.embedding, missing, signal);
    const chunkId = missing.at(-1)?.id;
    if (chunkId !== undefined) return { ...last, chunkId };
    // Chunks get their ids before they are committed, so smaller ids may have appeared since.
    return (await this.swap(knowledgeBase, work)) ? null : START;
  }

  /** Ingestion writes under the same lock, so no chunk can appear between check and swap. */
  private swap(knowledgeBase: RowRef, { target, embedding }: Work): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      const state = await this.indexes.locked(knowledgeBase, tx);
      if (state?.nextVectorIndex !== target.index) return false;
      if ((await this.vectors.missing(target, START.chunkId, 1, tx)).length > 0) return false;
      const next = { embedding, vectorIndex: target.index, vectorEmbedding: embedding, nextVectorIndex: null };
      await this.indexes.write(knowledgeBase, next, tx);
      return true;
    });
  }

  /** True when a retry is pointless. The reason is stored for the owner. */
  private async isFinal(knowledgeBase: RowRef, { target }: Work, error: unknown, lastTry: boolean): Promise<boolean> {
    const known = error instanceof AppError;
    const final = lastTry || (known && !isTransient(error.code) && error.code !== 'cancelled');
    if (final) {
      const reason = known ? error.detail : 'The vectors could not be made. Save the embedding again to retry';
      await this.indexes.fail(knowledgeBase, target.index, reason);
    }
    if (!known)
      this.log.error({ msg: 'a vector index could not be built', knowledge_base_id: knowledgeBase.id, err: error });
    return final;
  }
}
