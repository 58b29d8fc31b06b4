import { AppError } from '@bellwether/kernel';
import { createHash, randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { JobAborted, type JobHandler, JobQueue, type RunningJob, type SweepContext } from '../../infrastructure/jobs';
import { DocumentStore } from '../documents/document-store';
import { DocumentUploads } from '../documents/document-uploads';
import { BatchPoller } from '../ingestion/batch-poller';
import { describeFailure } from '../ingestion/ingestion.service';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import { RowQueue, type RowRef } from '../storage/row-queue';
import { type FetchedContent, SourceError, SourceFetcher } from './source-fetcher';
import type { SourceEntity, SourceRefresh } from './source.entity';
import { SourceRepository } from './source.repository';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FIRST_RETRY_MS = 15 * MINUTE_MS;
const INTERVAL_MS: Readonly<Record<SourceRefresh, number | null>> = {
  manual: null,
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
};

/**
 * When a source is fetched again. After failures that may pass: exponential backoff up to the interval. `failures` counts
 * those in a row, 0 after a success or a failure that stays.
 */
export function nextRefresh(refresh: SourceRefresh, failures: number, now: Date): Date | null {
  const interval = INTERVAL_MS[refresh];
  if (interval === null) return null;
  const backoff = failures === 0 ? interval : FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20);
  return new Date(now.getTime() + Math.min(interval, backoff));
}

const EVERY_MS = 30_000;
const BATCH = 1_000;

const QUEUE = { name: 'source-refresh', concurrency: 2, retries: 5, retryDelay: 2, timeoutMs: 5 * 60_000 };

/** The queue of sources to fetch, and waiting for them. */
@Injectable()
export class SourceRequests {
  private readonly queue: RowQueue;
  private readonly untilFetched: BatchPoller;

  constructor(
    jobs: JobQueue,
    sources: SourceRepository,
    private readonly transactions: Transactions,
  ) {
    this.queue = new RowQueue(jobs, QUEUE);
    this.untilFetched = new BatchPoller(
      (ids) => sources.unfinishedOf(ids),
      () => jobs.isStopping,
    );
  }

  onRefresh(handler: JobHandler<RowRef>): void {
    this.queue.handle(handler);
  }

  /** Part of the transaction that makes the sources wait. Call `wake` after the commit. */
  send(sources: readonly RowRef[], tx: Transaction): Promise<void> {
    return this.queue.send(sources, tx);
  }

  wake(): void {
    this.queue.wake();
  }

  /** Enqueues waiting sources without a job. */
  async repair(waiting: readonly RowRef[]): Promise<void> {
    await this.queue.repair(waiting, this.transactions);
  }

  settled(id: string, limitMs: number): Promise<void> {
    return this.untilFetched.wait([id], limitMs);
  }

  /** Tells waiting requests that this process has finished a source. */
  notify(): void {
    this.untilFetched.notify();
  }
}

/** Starts refreshes whose time has come, and those whose job was lost. */
@Injectable()
export class SourceSweep {
  constructor(
    private readonly sources: SourceRepository,
    private readonly requests: SourceRequests,
    jobs: JobQueue,
  ) {
    jobs.sweep(EVERY_MS, (context) => this.sweep(context));
  }

  async sweep({ alone, first }: SweepContext): Promise<void> {
    await this.sources.startDue(alone && first);
    await this.requests.repair(await this.sources.waiting(BATCH));
  }
}

const LONGEST = 160;

/** Name of the document of an address: host and path, readable for people. No uploaded file has such a name by chance. */
export function documentName(address: string, extension: string): string {
  const { host, pathname, search } = new URL(address);
  const parts = pathname.split('/').filter((part) => part !== '');
  const named = [host, ...parts.map(readable)].join(' › ') + readable(search);
  const stem = named.toLowerCase().endsWith(`.${extension}`) ? named.slice(0, -extension.length - 1) : named;
  const short = stem.length > LONGEST ? `${stem.slice(0, LONGEST).toWellFormed()}…` : stem;
  return `${short}.${extension}`;
}

/** The name with the number that makes it free. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.');
  for (let number = 2, free = name; ; number++) {
    if (!taken.has(free)) return free;
    free = `${name.slice(0, dot)} (${number})${name.slice(dot)}`;
  }
}

function readable(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // Stays as it is written in the address.
  }
  return text.replace(/[\p{C}\p{Zl}\p{Zp}/\\]+/gu, ' ').toWellFormed();
}

interface Claimed {
  readonly row: SourceEntity;
  readonly claim: string;
}

interface Outcome {
  readonly documentId: string | null;
  readonly content: FetchedContent | null;
}

/** Fetches a source and makes its content a document. A failure keeps the document that is there. */
@Injectable()
export class SourceRefreshService {
  private readonly log = new Logger(SourceRefreshService.name);

  constructor(
    private readonly sources: SourceRepository,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly documents: DocumentRepository,
    private readonly uploads: DocumentUploads,
    private readonly store: DocumentStore,
    private readonly fetcher: SourceFetcher,
    private readonly requests: SourceRequests,
  ) {
    requests.onRefresh((job) => this.run(job));
  }

  private async run(job: RunningJob<RowRef>): Promise<void> {
    const { organizationId, id } = job.data;
    const claim = randomUUID();
    const row = await this.sources.within(organizationId).claim(id, claim);
    if (row === null) return;
    try {
      await this.refresh({ row, claim }, job.signal);
    } catch (error) {
      await this.failed({ row, claim }, job, error);
    } finally {
      this.requests.notify();
    }
  }

  private async refresh({ row, claim }: Claimed, signal: AbortSignal): Promise<void> {
    const { organizationId, knowledgeBaseId } = row;
    const knowledgeBase = await this.knowledgeBases.within(organizationId).find(knowledgeBaseId);
    if (knowledgeBase === null || knowledgeBase.deletedAt !== null) return;
    const document = await this.documentOf(row);
    const validators = isCurrent(document) ? row : { etag: null, lastModified: null };
    const { etag, lastModified } = validators;
    const language = row.language ?? languageOf(knowledgeBase);
    const content = await this.fetcher.fetch({ url: row.url, etag, lastModified, language }, signal);
    const documentId = content === null ? row.documentId : await this.save(knowledgeBase, row, document, content);
    if (await this.finish({ row, claim }, { documentId, content })) return;
    // The source was deleted meanwhile, and its document with it, unless it is new.
    if (document === null && documentId !== null) await this.store.hide(null, knowledgeBase, documentId);
  }

  private async save(
    knowledgeBase: KnowledgeBaseEntity,
    { url }: SourceEntity,
    document: DocumentEntity | null,
    { bytes, extension }: FetchedContent,
  ): Promise<string | null> {
    const name = document?.filename ?? (await this.nameFor(knowledgeBase, url, extension));
    if (!name.endsWith(`.${extension}`)) {
      const message = `The address gives a .${extension} document now; remove it and add it again`;
      throw new SourceError('source.type_changed', message);
    }
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const upload = { name, bytes, size: bytes.length, sha256, sourceUrl: url };
    const [saved] = await this.uploads.accept(null, knowledgeBase, [upload]);
    return saved?.id ?? null;
  }

  private async nameFor({ organizationId, id }: RowRef, url: string, extension: string): Promise<string> {
    const documents = this.documents.within(organizationId);
    const taken = new Set<string>();
    for (;;) {
      const name = freeName(documentName(url, extension), taken);
      const [holder] = await documents.named(id, [name]);
      if (holder === undefined || holder.sourceUrl === url) return name;
      taken.add(name);
    }
  }

  private async documentOf({
    organizationId,
    knowledgeBaseId,
    documentId,
  }: SourceEntity): Promise<DocumentEntity | null> {
    return documentId === null ? null : this.documents.within(organizationId).findIn(knowledgeBaseId, documentId);
  }

  private async finish({ row, claim }: Claimed, { documentId, content }: Outcome): Promise<boolean> {
    const now = new Date();
    const scope = this.sources.within(row.organizationId);
    return scope.finish(row.id, claim, {
      status: 'fetched',
      error: null,
      errorCode: null,
      failures: 0,
      documentId,
      ...(content === null ? {} : { kind: content.kind, etag: content.etag, lastModified: content.lastModified }),
      checkedAt: now,
      fetchedAt: now,
      nextAt: nextRefresh(await scope.refreshOf(row), 0, now),
    });
  }

  /** Rethrows errors that the job queue should retry. */
  private async failed({ row, claim }: Claimed, job: RunningJob<RowRef>, error: unknown): Promise<void> {
    const scope = this.sources.within(row.organizationId);
    if (isEnded(job.signal) || (isNameTaken(error) && !job.lastTry)) {
      await scope.finish(row.id, claim, { status: 'pending' });
      throw error;
    }
    const failure = error instanceof SourceError ? error : describeFailure(error);
    if (failure.code === 'internal_error') {
      this.log.error({ msg: 'a source could not be fetched', source_id: row.id, err: error });
    }
    const failures = row.failures + 1;
    const now = new Date();
    await scope.finish(row.id, claim, {
      status: 'failed',
      error: failure.message,
      errorCode: failure.code,
      failures,
      checkedAt: now,
      nextAt: nextRefresh(await scope.refreshOf(row), failure.transient ? failures : 0, now),
    });
  }
}

/** A document that lacks the newest content must get it again. */
const isCurrent = (document: DocumentEntity | null): boolean =>
  document !== null && document.status !== 'failed' && document.setback === null;

/** Two sources chose one name at the same time. */
const isNameTaken = (error: unknown): boolean => error instanceof AppError && error.code === 'conflict';

const isEnded = ({ reason }: AbortSignal): boolean => reason instanceof JobAborted && reason.reason !== 'timeout';

/** `simple` is no language. */
const languageOf = ({ language }: KnowledgeBaseEntity): string | null => (language?.length === 2 ? language : null);
