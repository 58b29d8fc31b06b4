import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config';
import type { Transaction } from '../../platform/database';
import { type JobHandler, JobQueue, type NewJob, type Queue } from '../../platform/jobs';
import type { Backlog } from '../storage/document-scope.repository';
import { type DocumentRef, DocumentRepository } from '../storage/document.repository';
import { type TenantJob, toJob } from './tenant-job';
import { WaitingRoom } from './waiting-room';

const MINUTE_MS = 60_000;

const PURGE_QUEUE: Queue<TenantJob> = {
  name: 'document-purge',
  concurrency: 1,
  retries: 20,
  retryDelay: 2,
  timeoutMs: 30 * MINUTE_MS,
};

/** Asks for documents to be taken in or taken apart, as part of the transaction that makes it necessary. */
@Injectable()
export class IngestionRequests {
  private readonly working = new Map<string, AbortController>();
  private readonly ingestion: Queue<TenantJob>;
  private readonly untilSettled: WaitingRoom;
  private readonly untilGone: WaitingRoom;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly jobs: JobQueue,
    private readonly documents: DocumentRepository,
  ) {
    this.ingestion = {
      name: 'document-ingestion',
      concurrency: config.ingestion.concurrency,
      // About eight minutes in all, which outlasts most outages.
      retries: 8,
      retryDelay: 2,
      timeoutMs: 60 * MINUTE_MS,
    };
    const isClosing = (): boolean => jobs.isStopping;
    this.untilSettled = new WaitingRoom((ids) => documents.unfinishedOf(ids), isClosing);
    this.untilGone = new WaitingRoom((ids) => documents.presentOf(ids), isClosing);
  }

  onIngestion(handler: JobHandler<TenantJob>): void {
    this.jobs.declare(this.ingestion, handler);
  }

  onPurge(handler: JobHandler<TenantJob>): void {
    this.jobs.declare(PURGE_QUEUE, handler);
  }

  /** Documents of one knowledge base, in the order in which they are to come. */
  async ingest(knowledgeBase: TenantJob, ids: readonly string[], tx: Transaction): Promise<void> {
    if (ids.length === 0) return;
    const { organizationId, id: knowledgeBaseId } = knowledgeBase;
    const backlog = await this.documents.within(organizationId, tx).backlog(knowledgeBaseId);
    const before = {
      organization: Math.max(backlog.organization - ids.length, 0),
      knowledgeBase: Math.max(backlog.knowledgeBase - ids.length, 0),
    };
    const documents = ids.map((id) => ({ organizationId, knowledgeBaseId, id }));
    await this.jobs.send(this.ingestion, inTurn(documents, before), tx);
  }

  async purge({ organizationId, id }: TenantJob, tx: Transaction): Promise<void> {
    await this.jobs.send(PURGE_QUEUE, [toJob({ organizationId, id })], tx);
  }

  /** After the commit. */
  wake(): void {
    this.jobs.wake(this.ingestion);
    this.jobs.wake(PURGE_QUEUE);
  }

  /** Enqueues those that have no job, in one transaction. */
  async repair(
    waiting: readonly DocumentRef[],
    hidden: readonly DocumentRef[],
    run: RunInTransaction,
  ): Promise<number> {
    const lost = await this.without(this.ingestion, waiting);
    const lostPurges = await this.without(PURGE_QUEUE, hidden);
    if (lost.length + lostPurges.length === 0) return 0;
    await run(async (tx) => {
      await this.jobs.send(this.ingestion, inTurn(lost), tx);
      await this.jobs.send(PURGE_QUEUE, lostPurges.map(toJob), tx);
    });
    return lost.length + lostPurges.length;
  }

  /** Waits until this process or another has dealt with all of the documents, but not longer than the limit. */
  settled(ids: readonly string[], limitMs: number): Promise<void> {
    return this.untilSettled.wait(ids, limitMs);
  }

  gone(id: string, limitMs: number): Promise<void> {
    return this.untilGone.wait([id], limitMs);
  }

  /** This process has dealt with a document. */
  ring(): void {
    this.untilSettled.ring();
    this.untilGone.ring();
  }

  /** Registers the work on a document in this process, so that it can be interrupted. */
  begin(id: string): { readonly signal: AbortSignal; end(): void } {
    const controller = new AbortController();
    this.working.set(id, controller);
    const end = (): void => {
      if (this.working.get(id) === controller) this.working.delete(id);
      this.ring();
    };
    return { signal: controller.signal, end };
  }

  /** Ends this process's work on documents whose claim was taken away; other processes notice within seconds. */
  interrupt(ids: readonly string[]): void {
    for (const id of ids) this.working.get(id)?.abort();
  }

  private async without(queue: Queue<TenantJob>, documents: readonly DocumentRef[]): Promise<DocumentRef[]> {
    const ids = new Set(
      await this.jobs.withoutJob(
        queue,
        documents.map(({ id }) => id),
      ),
    );
    return documents.filter(({ id }) => ids.has(id));
  }
}

type RunInTransaction = (work: (tx: Transaction) => Promise<void>) => Promise<void>;

/** So many documents that wait in other knowledge bases of the organization count like one in the same. */
const ELSEWHERE = 10;

/**
 * The more of the same knowledge base and organization come before a document, the lower its priority: whoever uploads
 * three does not wait for somebody else's ten thousand, nor for the one in each of two hundred knowledge bases.
 */
export function inTurn(
  documents: readonly DocumentRef[],
  before: Backlog = { organization: 0, knowledgeBase: 0 },
): NewJob<TenantJob>[] {
  const counts = new Map<string, number>();
  const place = (id: string): number => {
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return count;
  };
  return documents.map((document) => {
    const near = before.knowledgeBase + place(document.knowledgeBaseId);
    const far = before.organization + place(document.organizationId);
    return { ...toJob(document), priority: -(near + Math.floor(far / ELSEWHERE)) };
  });
}
