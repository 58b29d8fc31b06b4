import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../../platform/database';
import { JobQueue, type SweepContext } from '../../platform/jobs';
import { DocumentRepository } from '../documents/document.repository';
import { DocumentWriter } from './document-writer';
import { IngestionRequests } from './ingestion-requests';

const EVERY_MS = 30_000;
/** Seconds: others have a job that has just been enqueued, or a worker. */
const NEGLECTED_AFTER = 30;
const AT_A_TIME = 1_000;

/**
 * Finds documents that wait although no job will come for them (jobs may be lost with their tables, or run out of tries), and
 * files that a process left behind when it died.
 */
@Injectable()
export class IngestionSweep {
  private readonly log = new Logger(IngestionSweep.name);

  constructor(
    private readonly documents: DocumentRepository,
    private readonly requests: IngestionRequests,
    private readonly writer: DocumentWriter,
    private readonly transactions: Transactions,
    jobs: JobQueue,
  ) {
    jobs.sweep(EVERY_MS, (context) => this.sweep(context));
  }

  private async sweep({ alone, first }: SweepContext): Promise<void> {
    if (alone && first) await this.documents.voidClaims();
    const neglected = await this.documents.neglected(first ? 0 : NEGLECTED_AFTER, AT_A_TIME);
    const hidden = await this.documents.hidden(AT_A_TIME);
    for (const row of await this.documents.withUnusedFiles(AT_A_TIME)) await this.writer.clearFiles(row);
    const found = await this.requests.repair(neglected, hidden, (work) => this.transactions.run(work));
    if (found > 0) this.log.log({ msg: 'documents without a job were taken up', documents: found });
  }
}
