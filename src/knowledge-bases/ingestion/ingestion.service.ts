import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable, Transactions } from '../../infrastructure/database';
import { JobAborted, type RunningJob } from '../../infrastructure/jobs';
import type { Progress } from '../storage/document-scope.repository';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import { ChunkEmbedder, EmbeddingTimeSliceEnded } from '../embedding/chunk-embedder';
import { DocumentReader } from './document-reader';
import { ClaimLost, type ClaimedDocument, DocumentWriter } from './document-writer';
import {
  describeFailure,
  type IngestionFailure,
  MAX_ATTEMPTS,
  MAX_LOST_STARTS,
  SET_ASIDE,
  TOO_OFTEN,
} from './ingestion-failure';
import { IngestionRequests } from './ingestion-requests';
import type { RowRef } from '../storage/row-queue';

const DATABASE_PAUSE_MS = 500;

/** Another worker has the claim. It may have died, so the job is retried. */
class ClaimedElsewhere extends Error {
  readonly code = 'claimed_elsewhere';
}

/**
 * Turns stored documents into searchable chunks. The row says what is to be done; a job only triggers a look at it. The worker
 * with the claim may write. Old chunks answer until the new ones replace them.
 */
@Injectable()
export class IngestionService {
  private readonly log = new Logger(IngestionService.name);

  constructor(
    private readonly documents: DocumentRepository,
    private readonly requests: IngestionRequests,
    private readonly reader: DocumentReader,
    private readonly writer: DocumentWriter,
    private readonly embedder: ChunkEmbedder,
    private readonly transactions: Transactions,
  ) {
    requests.onIngestion((job) => this.run(job));
  }

  private async run(job: RunningJob<RowRef>): Promise<void> {
    const { organizationId, id } = job.data;
    const work = this.requests.begin(id);
    try {
      const claim = randomUUID();
      const documents = this.documents.within(organizationId);
      let row = await this.claim(job, claim);
      let left = row === null ? await documents.find(id) : null;
      // Another worker released the document between the two statements: claim it now.
      while (row === null && left?.status === 'pending') {
        row = await this.claim(job, claim);
        left = await documents.find(id);
      }
      if (row !== null) {
        await this.attempt({ row, claim }, job, AbortSignal.any([job.signal, work.signal]));
        left = await documents.find(id);
      }
      if (left === null) return;
      if (row === null && left.status === 'processing' && !job.lastTry) throw new ClaimedElsewhere();
      await this.writer.clearDead(left);
    } finally {
      work.end();
    }
  }

  private async claim(job: RunningJob<RowRef>, claim: string): Promise<DocumentEntity | null> {
    const { organizationId, id } = job.data;
    const documents = this.documents.within(organizationId);
    try {
      return await documents.claim(id, claim);
    } catch (error) {
      // Perhaps only the answer was lost.
      const release = { status: 'pending', attempts: () => 'attempts - 1' } as const;
      if (isDatabaseUnavailable(error)) await insist(job.signal, () => documents.finish(id, claim, release));
      throw error;
    }
  }

  private async attempt(document: ClaimedDocument, job: RunningJob<RowRef>, signal: AbortSignal): Promise<void> {
    const lost = new AbortController();
    const renewing = setInterval(() => void this.renew(document, lost), this.documents.renewClaimMs);
    try {
      if (document.row.lostStarts > MAX_LOST_STARTS) await this.fail(document, SET_ASIDE);
      else if (document.row.attempts > MAX_ATTEMPTS) await this.fail(document, TOO_OFTEN, { attempts: 0 });
      else await this.process(document, AbortSignal.any([signal, lost.signal]));
    } catch (error) {
      // An earlier try may have released the document and lost the answer: then the job is needed, too.
      const isRetried = await insist(
        job.signal,
        async (tries) => (await this.failed(document, job, error)) || tries > 0,
      );
      if (isRetried) throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  private async process(document: ClaimedDocument, signal: AbortSignal): Promise<void> {
    const { organizationId, knowledgeBaseId, id: documentId } = document.row;
    // The text must not stay in memory during the much longer wait for vectors: no variable holds it.
    const written = await this.writer.write(document, await this.reader.read(document.row, signal), signal);
    const { generation, chunks } = written;
    // The first vectors may take long. A process that ends meanwhile was not killed by the document.
    await this.advance(document, { isHarmless: true });
    const target = { organizationId, knowledgeBaseId, documentId, generation };
    const done = (current: number, total: number): void =>
      void this.advance(document, { current: chunks + current, total: chunks + total, isHarmless: true });
    await this.embedder.embedGeneration(target, { signal, done });
    signal.throwIfAborted();
    await this.writer.switchTo(document, written);
  }

  /** True when the job queue should retry. */
  private async failed(document: ClaimedDocument, job: RunningJob<RowRef>, error: unknown): Promise<boolean> {
    const { row, claim } = document;
    const documents = this.documents.within(row.organizationId);
    if (error instanceof ClaimLost || !(await documents.advance(row.id, claim))) return false;
    if (job.signal.reason instanceof JobAborted) {
      // A shutdown or a lost job does not count as an attempt of the document.
      const attempts = job.signal.reason.reason === 'timeout' ? row.attempts : row.attempts - 1;
      await documents.finish(row.id, claim, { status: 'pending', attempts });
      return true;
    }
    // An abort may be meant for the previous worker of the document, whose claim this one took over: its job is spent.
    if (error instanceof EmbeddingTimeSliceEnded || isAbort(error)) {
      await this.handBack(document);
      return false;
    }
    const failure = describeFailure(error);
    if (failure.transient && !job.lastTry && row.attempts < (failure.tries ?? Infinity)) {
      await documents.finish(row.id, claim, { status: 'pending' });
      return true;
    }
    if (failure.code === 'internal_error') {
      this.log.error({ msg: 'a document could not be processed', document_id: row.id, err: error });
    }
    await this.fail(document, failure);
    return false;
  }

  /** Releases an unfinished document and queues it behind the waiting ones. */
  private handBack({ row, claim }: ClaimedDocument): Promise<void> {
    const { id, organizationId, knowledgeBaseId } = row;
    return this.transactions.run(async (tx) => {
      const documents = this.documents.within(organizationId, tx);
      if (!(await documents.finish(id, claim, { status: 'pending' }))) return;
      await this.requests.ingest({ organizationId, id: knowledgeBaseId }, [id], tx);
    });
  }

  private async fail(
    { row, claim }: ClaimedDocument,
    { code, message }: IngestionFailure,
    more: { attempts?: number } = {},
  ): Promise<void> {
    const result = { status: 'failed', error: message, errorCode: code, ...more } as const;
    await this.documents.within(row.organizationId).finish(row.id, claim, result);
  }

  private async renew(document: ClaimedDocument, lost: AbortController): Promise<void> {
    if ((await this.advance(document, {})) === false) lost.abort(new ClaimLost());
  }

  /** Undefined when the database does not answer: the claim holds until another worker takes it. */
  private async advance({ row, claim }: ClaimedDocument, progress: Progress): Promise<boolean | undefined> {
    try {
      return await this.documents.within(row.organizationId).advance(row.id, claim, progress);
    } catch {
      return undefined;
    }
  }
}

/**
 * Repeats a change while the database refuses or does not answer, until the job's signal. A claim without a worker would stop
 * the document until its lease ends, and count as a process that it killed.
 */
async function insist<Result>(signal: AbortSignal, change: (tries: number) => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await change(tries);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || signal.aborted) throw error;
      await sleep(DATABASE_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
