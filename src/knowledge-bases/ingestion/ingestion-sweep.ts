import { Injectable, Logger } from '@nestjs/common';
import { BlobSweep } from '../../files';
import { JobQueue, type SweepContext } from '../../infrastructure/jobs';
import { DocumentRepository } from '../storage/document.repository';
import { DocumentWriter } from './document-writer';
import { IngestionRequests } from './ingestion-requests';

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
