import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../../kernel';
import { type Transaction, Transactions } from '../../platform/database';
import { JobQueue, type Queue, type RunningJob } from '../../platform/jobs';
import type { Embedding } from '../storage/knowledge-base.types';
import { VectorStore } from '../search/vector-store';
import { VectorStoreRepository, type VectorTarget } from '../search/vector-store.repository';
import { ChunkVectors, PAGE } from './chunk-vectors';
import { type KnowledgeBaseRef, VectorIndexRepository } from './vector-index.repository';

const MINUTE_MS = 60_000;
/** How long an index is worked on before others have their turn, and one step of it at most: a vendor may take minutes to answer. */
const TURN_MS = MINUTE_MS;
const STEP_MS = 3 * MINUTE_MS;

export const INDEX_QUEUE: Queue<KnowledgeBaseRef> = {
  name: 'vector-index',
  concurrency: 1,
  // Some hours in all: a vendor's bad day.
  retries: 12,
  retryDelay: 5,
  timeoutMs: 30 * MINUTE_MS,
};

/** Codes that a later try may not meet again. */
const PASSING: readonly string[] = [
  'upstream_rate_limited',
  'upstream_error',
  'upstream_timeout',
  'upstream_truncated',
  'upstream_bad_response',
  'unavailable',
  'cancelled',
  'server_shutdown',
];

/** How far a builder has come. */
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
 * Builds a vector index beside the one that answers, then puts it in its place. What is to be built stands in the knowledge
 * base's row and what is done already in the vectors themselves, so it can be broken off and taken up at any point; whoever
 * asks for another index meanwhile only changes the row.
 */
@Injectable()
export class IndexBuilder {
  private readonly log = new Logger(IndexBuilder.name);

  constructor(
    private readonly indexes: VectorIndexRepository,
    private readonly store: VectorStore,
    private readonly vectors: VectorStoreRepository,
    private readonly chunks: ChunkVectors,
    private readonly transactions: Transactions,
    private readonly jobs: JobQueue,
  ) {
    jobs.declare(INDEX_QUEUE, (job) => this.run(job));
  }

  /** Has the index that the row asks for built when the transaction commits. */
  async request({ organizationId, id }: KnowledgeBaseRef, tx: Transaction): Promise<void> {
    await this.jobs.send(INDEX_QUEUE, [{ key: id, data: { organizationId, id } }], tx);
  }

  /** After the commit. */
  wake(): void {
    this.jobs.wake(INDEX_QUEUE);
  }

  /** Takes up those whose job was lost. */
  async resume(unfinished: readonly KnowledgeBaseRef[]): Promise<void> {
    const ids = unfinished.map(({ id }) => id);
    const lost = new Set(await this.jobs.withoutJob(INDEX_QUEUE, ids));
    for (const each of unfinished) {
      if (this.jobs.isStopping) return;
      if (lost.has(each.id)) await this.transactions.run((tx) => this.request(each, tx));
    }
    if (lost.size > 0) this.wake();
  }

  /** Works on an index for `turnMs`; what is left then goes behind the others that wait. Rejects to be tried again. */
  async run(
    { data, lastTry, signal }: Pick<RunningJob<KnowledgeBaseRef>, 'data' | 'lastTry' | 'signal'>,
    turnMs = TURN_MS,
  ): Promise<void> {
    if (!this.store.available) return;
    let last: Position = START;
    for (const end = performance.now() + turnMs; ;) {
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

  private async later(knowledgeBase: KnowledgeBaseRef): Promise<void> {
    await this.transactions.run((tx) => this.request(knowledgeBase, tx));
    this.wake();
  }

  /** Null when nothing is to be built, or the knowledge base is gone. */
  private async wanted(knowledgeBase: KnowledgeBaseRef): Promise<Work | null> {
    const state = await this.indexes.state(knowledgeBase);
    if (state?.embedding == null || state.nextVectorIndex === null) return null;
    const { organizationId, id } = knowledgeBase;
    const target = { organizationId, knowledgeBaseId: id, index: state.nextVectorIndex };
    return { target, embedding: state.embedding };
  }

  /** Where the next step goes on; null when the index has come into force. */
  private async step(
    knowledgeBase: KnowledgeBaseRef,
    work: Work,
    last: Position,
    signal: AbortSignal,
  ): Promise<Position | null> {
    const missing = await this.vectors.missing(work.target, last.chunkId, PAGE);
    await this.chunks.make(work.target, work.embedding, missing, signal);
    const chunkId = missing.at(-1)?.id;
    if (chunkId !== undefined) return { ...last, chunkId };
    // Chunks get their ids before they are committed, so some may have come in behind.
    return (await this.swap(knowledgeBase, work)) ? null : START;
  }

  /** Under the lock that ingestion writes and switches under: no chunk can appear between the look and the swap. */
  private swap(knowledgeBase: KnowledgeBaseRef, { target, embedding }: Work): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      const state = await this.indexes.locked(knowledgeBase, tx);
      if (state?.nextVectorIndex !== target.index) return false;
      if ((await this.vectors.missing(target, START.chunkId, 1, tx)).length > 0) return false;
      const next = { embedding, vectorIndex: target.index, vectorEmbedding: embedding, nextVectorIndex: null };
      await this.indexes.write(knowledgeBase, next, tx);
      return true;
    });
  }

  /** True when trying again is pointless; the owner is told why, and can ask again. */
  private async isFinal(
    knowledgeBase: KnowledgeBaseRef,
    { target }: Work,
    error: unknown,
    lastTry: boolean,
  ): Promise<boolean> {
    const known = error instanceof AppError;
    const final = lastTry || (known && !PASSING.includes(error.code));
    if (final) {
      const reason = known ? error.detail : 'The vectors could not be made; ask for them again';
      await this.indexes.fail(knowledgeBase, target.index, reason);
    }
    if (!known)
      this.log.error({ msg: 'a vector index could not be built', knowledge_base_id: knowledgeBase.id, err: error });
    return final;
  }
}
