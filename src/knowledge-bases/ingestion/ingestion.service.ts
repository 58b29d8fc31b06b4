import { ExtractionError } from '@bellwether/extraction';
import { AppError } from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { BlobStore, BlobSweep } from '../../files';
import { Transactions, isDatabaseUnavailable } from '../../infrastructure/database';
import { JobAborted, JobQueue, type RunningJob, type SweepContext } from '../../infrastructure/jobs';
import { ChunkEmbedder, EmbeddingTimeSliceEnded } from '../embedding/chunk-embedder';
import { SearchIndex } from '../search/search-index';
import { allFiles } from '../storage/document-files';
import { type Progress, knowledgeBaseSpace } from '../storage/document-scope.repository';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import type { RowRef } from '../storage/row-queue';
import { isTransient } from '../embedding/index-builder';
import { DocumentReader } from './document-reader';
import { ClaimLost, type ClaimedDocument, DocumentWriter } from './document-writer';
import { IngestionRequests } from './ingestion-requests';

interface IngestionFailure {
  readonly code: string;
  /** A sentence for the owner. */
  readonly message: string;
  /** A retry may succeed. */
  readonly transient: boolean;
  /** Most tries of a document with this failure; no limit without it. */
  readonly tries?: number;
}

export const CANCELLED = { status: 'failed', error: 'Cancelled', errorCode: 'document.cancelled' } as const;

/** Starts of a document whose process ended; the next one is refused. */
const MAX_LOST_STARTS = 2;
const SET_ASIDE: IngestionFailure = {
  code: 'document.resource',
  message:
    'The service ended twice while it read this document, so it was set aside. ' +
    'Save it in another format or in parts; if the service was stopped for another reason, try again',
  transient: false,
};

/** Stops a document that crashes its worker at every try. */
const MAX_ATTEMPTS = 25;
const TOO_OFTEN: IngestionFailure = {
  code: 'document.resource',
  message: 'Processing did not finish in many attempts; the document may be too large for this server',
  transient: false,
};

const isSystemError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;

/** One retry, because a busy machine may be the reason. */
const TIMEOUT_TRIES = 2;

/** Unknown errors get a general message: theirs may hold internals. */
export function describeFailure(error: unknown): IngestionFailure {
  if (error instanceof ExtractionError) {
    const { code, message } = error;
    return code === 'document.timeout'
      ? { code, message, transient: true, tries: TIMEOUT_TRIES }
      : { code, message, transient: false };
  }
  if (error instanceof AppError && error.code === 'not_found') {
    return { code: 'document.missing', message: 'The uploaded file is missing; upload it again', transient: false };
  }
  if (error instanceof AppError) {
    return { code: error.code, message: error.detail, transient: isTransient(error.code) };
  }
  if (isDatabaseUnavailable(error) || isSystemError(error)) {
    return { code: 'unavailable', message: 'A service behind this one did not answer; try again', transient: true };
  }
  return { code: 'internal_error', message: 'The document could not be processed; try again', transient: false };
}

const EVERY_MS = 30_000;
/** Seconds. Younger documents have a job or a worker. */
const NEGLECTED_AFTER = 30;
const PAGE_SIZE = 1_000;
/** Pages of one sweep: the start of the service waits for the first sweep. */
const PAGES = 10;

/** Finds waiting documents whose job was lost or ran out of tries, and files left behind by a process that died. */
@Injectable()
export class IngestionSweep {
  private readonly log = new Logger(IngestionSweep.name);
  /** Id where the next sweep continues. */
  private after: string | null = null;

  constructor(
    private readonly documents: DocumentRepository,
    private readonly requests: IngestionRequests,
    private readonly writer: DocumentWriter,
    jobs: JobQueue,
    blobs: BlobSweep,
  ) {
    blobs.register('knowledge-bases', ({ organizationId, holderId, names }) =>
      documents.named(organizationId, holderId, names),
    );
    jobs.sweep(EVERY_MS, (context) => this.sweep(context));
  }

  private async sweep({ alone, first }: SweepContext): Promise<void> {
    if (alone && first) await this.documents.expireClaims();
    for (const row of await this.documents.withUnusedFiles(PAGE_SIZE)) await this.writer.clearFiles(row);
    let found = await this.requests.repair([], await this.documents.hidden(PAGE_SIZE));
    for (let page = 0; page < PAGES; page++) {
      const neglected = await this.documents.neglected(first ? 0 : NEGLECTED_AFTER, PAGE_SIZE, this.after);
      found += await this.requests.repair(neglected, []);
      this.after = neglected.length < PAGE_SIZE ? null : (neglected.at(-1)?.id ?? null);
      if (this.after === null) break;
    }
    if (found > 0) this.log.log({ msg: 'documents without a job were enqueued again', documents: found });
  }
}

/** Removes deleted documents: first the chunks in short transactions, then the files, then the row. */
@Injectable()
export class DocumentPurge {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly index: SearchIndex,
    private readonly blobs: BlobStore,
    private readonly requests: IngestionRequests,
  ) {
    requests.onPurge((job) => this.run(job));
  }

  /** The document, or its knowledge base, must be marked as deleted: no worker may write to it. */
  async purge(row: DocumentEntity): Promise<void> {
    const { organizationId, knowledgeBaseId, id } = row;
    await this.index.removeChunks({ organizationId, knowledgeBaseId, documentId: id }, null);
    await this.blobs.removeAll(knowledgeBaseSpace(organizationId, knowledgeBaseId), allFiles(row));
    await this.documents.within(organizationId).remove(id);
    await this.knowledgeBases.within(organizationId).dropUnusedLanguages(knowledgeBaseId);
  }

  private async run({ data: { organizationId, id } }: RunningJob<RowRef>): Promise<void> {
    const row = await this.documents.within(organizationId).find(id);
    if (row !== null && row.deletedAt !== null) await this.purge(row);
    this.requests.notify();
  }
}

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
