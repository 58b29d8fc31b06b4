import { Injectable, Logger } from '@nestjs/common';
import { BlobSweep } from '../../files';
import { Transactions } from '../../platform/database';
import { JobQueue, type SweepContext } from '../../platform/jobs';
import { type DocumentRef, DocumentRepository } from '../storage/document.repository';
import { DocumentWriter } from './document-writer';
import { IngestionRequests } from './ingestion-requests';

const EVERY_MS = 30_000;
/** Seconds: others have a job that has just been enqueued, or a worker. */
const NEGLECTED_AFTER = 30;
const AT_A_TIME = 1_000;
/** In one sweep: a start waits for the first one. */
const PAGES = 10;

/**
 * Finds documents that wait although no job will come for them (jobs may be lost with their tables, or run out of tries), and
 * files that a process left behind when it died.
 */
@Injectable()
export class IngestionSweep {
  private readonly log = new Logger(IngestionSweep.name);
  /** Where the next sweep goes on: those before it wait with a job, as thousands may. */
  private after: string | null = null;

  constructor(
    private readonly documents: DocumentRepository,
    private readonly requests: IngestionRequests,
    private readonly writer: DocumentWriter,
    private readonly transactions: Transactions,
    jobs: JobQueue,
    blobs: BlobSweep,
  ) {
    blobs.ask('knowledge-bases', ({ organizationId, holderId, names }) =>
      documents.named(organizationId, holderId, names),
    );
    jobs.sweep(EVERY_MS, (context) => this.sweep(context));
  }

  private async sweep({ alone, first }: SweepContext): Promise<void> {
    if (alone && first) await this.documents.voidClaims();
    for (const row of await this.documents.withUnusedFiles(AT_A_TIME)) await this.writer.clearFiles(row);
    const hidden = await this.documents.hidden(AT_A_TIME);
    let found = await this.repair([], hidden);
    for (let page = 0; page < PAGES; page++) {
      const neglected = await this.documents.neglected(first ? 0 : NEGLECTED_AFTER, AT_A_TIME, this.after);
      found += await this.repair(neglected, []);
      this.after = neglected.length < AT_A_TIME ? null : (neglected.at(-1)?.id ?? null);
      if (this.after === null) break;
    }
    if (found > 0) this.log.log({ msg: 'documents without a job were taken up', documents: found });
  }

  private repair(waiting: readonly DocumentRef[], hidden: readonly DocumentRef[]): Promise<number> {
    return this.requests.repair(waiting, hidden, (work) => this.transactions.run(work));
  }
}
